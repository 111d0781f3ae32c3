import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import type { ControlModel } from '../../emulator/control/schemas/models.js'
import { call } from '../data/control.js'
import { isRequest } from '../data/live.js'
import { DELIVERY_COLUMNS } from './deliveries-page.js'
import { LiveTable, type Column, type RowDetails } from '../kit/table.js'
import { linkTo } from '../parts/link.js'
import { MayBeMore } from '../parts/may-be-more.js'
import { REQUEST_COLUMNS, REQUEST_DETAILS } from '../parts/request-row.js'
import { MOST_DELIVERIES, useDeliveries } from '../data/use-deliveries.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { figure } from '../parts/amounts.js'
import { Moment, Name } from '../parts/facts.js'
import { metricsLine } from '../parts/metrics.js'
import { shortId } from '../parts/names.js'

type Checkpoint = ControlModel['checkpoints'][number]

/** @param jobs - Those of the model, oldest first. */
function checkpointColumns(job: Job, jobs: readonly Job[]): readonly Column<Checkpoint>[] {
  const maker = ({ step }: Checkpoint): ComponentChildren => {
    const made = makerOf(step, jobs)
    return (
      <>
        {made?.id === job.id && (
          <span title="Created by this job" aria-label="Created by this job" role="img">
            ★{' '}
          </span>
        )}
        {made && linkTo({ page: 'job', id: made.id }, `#${made.ordinal}`)}
      </>
    )
  }
  return [
    ['Step', 'w-index', ({ step }) => figure(step), { sort: ({ step }) => step }],
    ['At', 'w-time', ({ created_at: at }) => <Moment at={at} />, { sort: (of) => of.created_at }],
    ['Checkpoint', 'w-id', ({ id }) => shortId(id), { wide: true }],
    ['Job', 'w-short', maker, { sort: ({ step }) => makerOf(step, jobs)?.ordinal }],
    ['Aliases', 'w-grow', namesOf, { sort: namesOf }],
    ['Metrics', 'w-grow mono', ({ metrics }) => metricsLine(metrics), { wide: true }],
  ]
}

function namesOf({ aliases }: Checkpoint): string {
  return aliases.join(', ')
}

/** The job that a checkpoint is from. The step of one that was deleted can be made again. */
function makerOf(step: number, jobs: readonly Job[]): Job | undefined {
  return jobs.findLast(({ checkpoint_step }) => checkpoint_step === step)
}

function checkpointDetails(job: Job): RowDetails<Checkpoint> {
  return {
    idOf: ({ step }) => `checkpoint-${step}`,
    show: ({ id, step, metrics }) => (
      <>
        <p>
          Checkpoint <code>{id}</code> {step === job.checkpoint_step && '★ Created by this job.'}
        </p>
        <pre tabIndex={0}>{JSON.stringify(metrics, undefined, 2)}</pre>
      </>
    ),
  }
}

/** The checkpoints of the job's model, with the jobs that made them. */
export function JobCheckpoints({ job }: { job: Job }): ComponentChildren {
  const notes = useLive(({ entries }) => entries.findLast(({ kind }) => kind === 'note')?.id)
  const known = useLive((live) => live.jobs)
  const jobs = [...known.values()].filter(({ model }) => model.id === job.model.id)
  // Jobs change with each step, the columns only with a checkpoint.
  const made = jobs.map(({ id, checkpoint_step: step }) => `${id} ${step}`).join()
  const { value, error } = useLoaded(
    async () => {
      const { models } = await call('GET /models')
      return models.find(({ id }) => id === job.model.id)?.checkpoints ?? []
    },
    job.model.id,
    `${job.status} ${made} ${notes}`,
  )
  const columns = useMemo(() => checkpointColumns(job, jobs), [job.id, made])
  const details = useMemo(() => checkpointDetails(job), [job.checkpoint_step])
  return (
    <LiveTable
      label="Checkpoints"
      columns={columns}
      rows={value?.toSorted((a, b) => b.step - a.step)}
      keyOf={({ id }) => id}
      details={details}
      error={error}
      empty={<p>The model has no checkpoints.</p>}
    >
      <h2>
        Checkpoints of <Name of={job.model.name} />
      </h2>
    </LiveTable>
  )
}

/** The deliveries that the job caused. */
export function JobDeliveries({ job }: { job: Job }): ComponentChildren {
  const { value, error } = useDeliveries(job.id)
  return (
    <>
      <LiveTable
        label="Deliveries"
        columns={DELIVERY_COLUMNS}
        rows={value}
        keyOf={({ id }) => id}
        error={error}
        empty={<p>This job caused no deliveries.</p>}
        heading
      />
      <MayBeMore of={value} most={MOST_DELIVERIES} />
    </>
  )
}

/** The most requests that are loaded. */
const MOST_REQUESTS = 200

/** The requests that created the job, or name it. */
export function JobRequests({ job }: { job: Job }): ComponentChildren {
  const { value, error } = useLoaded(async () => {
    return (await call('GET /requests', { query: { job: job.id, limit: MOST_REQUESTS } })).requests
  }, job.id)
  const entries = useLive((live) => live.entries)
  const known = new Set(value?.map(({ id }) => id))
  const since = entries.filter(isRequest).filter(({ id, path }) => {
    return !known.has(id) && (id === job.request_id || path.includes(job.id))
  })
  return (
    <>
      <LiveTable
        label="Requests"
        columns={REQUEST_COLUMNS}
        rows={value && [...value, ...since].sort((one, other) => other.id - one.id)}
        keyOf={({ id }) => id}
        details={REQUEST_DETAILS}
        error={error}
        empty={<p>No requests for this job. The journal keeps only the latest ones.</p>}
        heading
      />
      <MayBeMore of={value} most={MOST_REQUESTS} />
    </>
  )
}
