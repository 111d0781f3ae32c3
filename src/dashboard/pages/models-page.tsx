import { Fragment, type ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ControlJob } from '../../emulator/control/schemas/jobs.js'
import type { ControlModel as Model } from '../../emulator/control/schemas/models.js'
import { call } from '../data/control.js'
import { jobName, usesOf, type LineageJob } from '../data/lineage.js'
import { MOST_LINEAGE_JOBS, useLineage } from '../data/use-lineage.js'
import { useLive } from '../data/use-live.js'
import { RecordFacts } from '../kit/detail.js'
import { useRecords, useReload, type Listing, type RowsState } from '../kit/records.js'
import { baseModels } from '../data/base-models.js'
import { Confirm } from '../parts/confirm.js'
import type { FormField } from '../kit/field-values.js'
import { RowForm } from '../kit/row-form.js'
import { linkTo } from '../parts/link.js'
import { countColumn, type Column, type RowDetails } from '../kit/table.js'
import { JobState, Progress, State } from '../parts/state.js'
import { counted, figure } from '../parts/amounts.js'
import { Moment } from '../parts/facts.js'
import { metricsLine } from '../parts/metrics.js'
import { fullName, jobTitle, projectOf, shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'
import { compareHref } from '../parts/runs.js'

type Checkpoint = Model['checkpoints'][number]

const COLUMNS: readonly Column<Model>[] = [
  ['Model', 'w-grow', ({ name }) => name, { sort: true }],
  ['Project', 'w-event', projectOf, { sort: true, wide: true }],
  ['Base model', 'w-base', ({ base_model }) => base_model, { sort: true, wide: true }],
  ['Step', 'w-number', (model) => figure(latestStep(model) ?? '–'), { sort: latestStep }],
  countColumn('Checkpoints', ({ checkpoints }) => checkpoints.length, { wide: true }),
  countColumn('Served', (of) => of.checkpoints.filter(({ served }) => served).length, {
    wide: true,
  }),
  countColumn('Jobs', ({ jobs }) => jobs),
]

const DETAILS: RowDetails<Model> = {
  idOf: ({ id }) => `model-${id}`,
  show: (model) => <ModelDetail model={model} />,
}

/** The models of the world, also those without a job. */
export const MODELS: Listing<Model> = {
  title: 'Models',
  thing: 'model',
  useRows: useModels,
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  details: DETAILS,
  find: 'Name, project, base model or id',
  add: { label: 'New model', Form: NewModel },
  Empty: () => <p>No models yet. Create one, or with POST /v1/preview/models.</p>,
}

/** The models, newest first. They are read again after anything that may have changed one. */
function useModels(): RowsState<Model> {
  const loaded = useRecords(
    async () => (await call('GET /models')).models.toReversed(),
    ['job', 'note', 'request'],
  )
  const now = useLive(({ clock }) => clock?.now) ?? ''
  const moments = (loaded.value ?? [])
    .flatMap(({ checkpoints }) => checkpoints)
    .flatMap(({ served_from, served_until, expires_at }) => [served_from, served_until, expires_at])
  const changed = moments.filter((at) => at !== null && at <= now).length
  useEffect(() => loaded.reload(), [changed, loaded.reload])
  return loaded
}

function latestStep({ checkpoints }: Model): number | null {
  return checkpoints.at(-1)?.step ?? null
}

const FIELDS: readonly FormField[] = [
  { place: 'name', label: 'Name', hint: null, example: 'poet' },
  { place: 'project', label: 'Project', hint: null, example: 'demo' },
  { place: 'entity', label: 'Entity', hint: null, example: 'local-team' },
  { place: 'base_model', label: 'Base model', hint: null, example: 'the first one' },
]

/** Creates a model. Without a choice, it has the first base model. */
function NewModel({ close }: { close: () => void }): ComponentChildren {
  return (
    <RowForm
      row="POST /models"
      label="New model"
      submit="Create model"
      fields={FIELDS}
      offers={async () => ({ base_model: await baseModels() })}
      cancel={close}
    />
  )
}

function ModelDetail({ model }: { model: Model }): ComponentChildren {
  const known = useLive((live) => live.jobs)
  const { id, name, base_model, checkpoints } = model
  const jobs = [...known.values()].filter((job) => job.model.id === id).reverse()
  const unfinished = jobs.filter(({ status }) => status === 'queued' || status === 'running').length
  return (
    <div class="stack">
      <RecordFacts of={{ id, project: projectOf(model), base_model }} />
      <div class="line">
        <a href={hrefOf({ page: 'chat' }, { model: fullName(model) })}>Chat with {name}</a>
        <a href={hrefOf({ page: 'jobs' }, { new: 'job', model: id })}>New job</a>
        {jobs.length > 0 && <a href={compareHref(jobs[0]!, known)}>Curves of its jobs</a>}
        <Confirm
          label="Delete model"
          name={`Delete model ${name}`}
          question={`Deletes ${counted(checkpoints.length, 'checkpoint')}. ${counted(unfinished, 'unfinished job')} will fail.`}
          act={() => call('DELETE /models/{model_id}', { params: { model_id: id } })}
          done={useReload()}
        />
      </div>
      <Checkpoints of={model} jobs={jobs} />
      <JobList of={jobs} total={model.jobs} />
    </div>
  )
}

/** The latest jobs of a model. The page Jobs has all of them. */
const MOST_LISTED_JOBS = 20

function JobList(props: { of: readonly ControlJob[]; total: number }): ComponentChildren {
  const { of: jobs, total } = props
  const shown = jobs.slice(0, MOST_LISTED_JOBS)
  if (total === 0) return <p class="faint">This model has no jobs.</p>
  return (
    <>
      <h2>Jobs</h2>
      <ul class="plain-list stack" aria-label="Jobs">
        {shown.map((job) => (
          <li key={job.id} class="line">
            <a href={hrefOf({ page: 'job', id: job.id })}>{jobTitle(job)}</a>
            <span class="mono faint">{shortId(job.id)}</span>
            <JobState job={job} />
            <Progress job={job} />
          </li>
        ))}
      </ul>
      {total > shown.length && (
        <p class="faint">
          The latest {figure(shown.length)} of {counted(total, 'job')}.
        </p>
      )}
    </>
  )
}

/** @param now The time of the emulator, in the format of the control API. */
function stateOf({ served, served_until: until }: Checkpoint, now: string | undefined): string {
  if (served) return 'served'
  return isOver(until, now) ? 'no longer served' : 'not served yet'
}

function isOver(moment: string | null, now: string | undefined): boolean {
  return moment !== null && now !== undefined && moment <= now
}

interface CheckpointsProps {
  of: Model
  /** The jobs of the model. */
  jobs: readonly ControlJob[]
}

function Checkpoints({ of: model, jobs }: CheckpointsProps): ComponentChildren {
  const lineage = useLineage()
  const now = useLive(({ clock }) => clock?.now)
  const trained = lineage.value?.jobs ?? []
  const { id, checkpoints, deleted_steps } = model
  const remove = (step: number): Promise<unknown> => {
    const params = { model_id: id, step }
    return call('DELETE /models/{model_id}/checkpoints/{step}', { params })
  }
  if (checkpoints.length + deleted_steps.length === 0) return <p>It has no checkpoints.</p>
  return (
    <>
      <h2>Checkpoints</h2>
      <ul class="plain-list checkpoints stack" aria-label="Checkpoints">
        {checkpoints.toReversed().map((checkpoint) => (
          <li key={checkpoint.id} class="line">
            <div class="line">
              <b class="number">step {checkpoint.step}</b>
              <State of={stateOf(checkpoint, now)} />
              {checkpoint.aliases.length > 0 && <span>{checkpoint.aliases.join(', ')}</span>}
              <Moment at={checkpoint.created_at} />
              <a href={chatHref(model, checkpoint.step)}>
                Chat<span class="hidden-label"> with step {checkpoint.step}</span>
              </a>
              <Confirm
                label="Delete"
                name={`Delete step ${checkpoint.step}`}
                question="Chat with this checkpoint gets a 404 from then on."
                act={() => remove(checkpoint.step)}
              />
            </div>
            <CheckpointLineage step={checkpoint.step} {...{ model, jobs, trained }} />
            <span class="faint mono">{metricsLine(checkpoint.metrics)}</span>
            <span class="faint">{plannedText(checkpoint, now)}</span>
          </li>
        ))}
        {trained.length >= MOST_LINEAGE_JOBS && (
          <li class="faint">Answers are those in the newest {figure(MOST_LINEAGE_JOBS)} jobs.</li>
        )}
        {deleted_steps.map((step) => (
          <li key={`deleted-${step}`} class="line">
            <b class="number">step {step}</b>
            <State of="deleted" />
            <CheckpointLineage {...{ step, model, jobs, trained }} />
          </li>
        ))}
      </ul>
    </>
  )
}

interface LineageProps {
  model: Model
  step: number
  /** The jobs of the model. */
  jobs: readonly ControlJob[]
  /** What the newest jobs were trained on. */
  trained: readonly LineageJob[]
}

/** From which job a checkpoint is, and which jobs trained on its answers. */
function CheckpointLineage({ model, step, jobs, trained }: LineageProps): ComponentChildren {
  const from = jobs.find((job) => job.checkpoint_step === step)
  const isOwn = (id: string): boolean => jobs.some((job) => job.id === id)
  const uses = usesOf(trained, { name: model.name, step, isOwn })
  return (
    <span>
      {from && <>From {linkTo({ page: 'job', id: from.id }, jobTitle(from))}. </>}
      {uses.map(({ job, count, lag }) => {
        const known = jobs.find(({ id }) => id === job.job)
        return (
          <Fragment key={job.job}>
            {counted(count, 'answer')} trained{' '}
            {linkTo({ page: 'job', id: job.job }, jobName(job, known))}
            {lag !== null && lag > 0 && ` (${counted(lag, 'step')} behind)`}.{' '}
          </Fragment>
        )
      })}
    </span>
  )
}

function chatHref(model: Model, step: number): string {
  return hrefOf({ page: 'chat' }, { model: `${fullName(model)}:step${step}` })
}

/** The moments at which something will happen to a checkpoint. */
function plannedText(checkpoint: Checkpoint, now: string | undefined): string {
  const { served_from: from, served_until: until, expires_at: end } = checkpoint
  const moments = [
    ['Served from', from],
    ['Served until', until],
    ['Deleted at', end],
  ] as const
  return moments
    .flatMap(([what, at]) => (at === null || isOver(at, now) ? [] : [`${what} ${at}.`]))
    .join(' ')
}
