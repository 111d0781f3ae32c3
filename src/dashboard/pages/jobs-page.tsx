import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { NewJob } from './new-job.js'
import { LiveTable, type Column } from '../parts/live-table.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { hrefOf, useQuery } from '../routes.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { useLive } from '../data/use-live.js'
import {
  figure,
  JobState,
  lasting,
  matching,
  Moment,
  Progress,
  shortId,
  stateOf,
} from '../parts/wording.js'

type JobStatus = Job['status']

/** All statuses. The compiler checks that none is missing. */
const STATUSES = Object.keys({ queued: 0, running: 0, ended: 0, failed: 0 } satisfies Record<
  JobStatus,
  0
>) as JobStatus[]

const COLUMNS: readonly Column<Job>[] = [
  ['Model', 'w-grow', { sort: ({ model }) => model.name }],
  ['State', 'w-state', { sort: stateOf }],
  ['Steps', 'w-progress', { sort: ({ step }) => step }],
  ['Loss', 'w-number', { sort: ({ latest }) => sortable(latest['loss']) }],
  ['Reward', 'w-number', { sort: ({ latest }) => sortable(latest['reward']), wide: true }],
  ['Duration', 'w-took', { sort: durationOf, wide: true }],
  ['Kind', 'w-short', { sort: ({ kind }) => kind, wide: true }],
  ['Job', 'w-id', { wide: true }],
  ['Created', 'w-time', { sort: ({ created_at }) => created_at, wide: true }],
]

export function JobsPage(): ComponentChildren {
  const jobs = [...useLive((live) => live.jobs).values()].reverse()
  const [written, setStatus] = useQuery('state', 'all')
  const status = STATUSES.find((each) => each === written) ?? 'all'
  const [name, setName] = useQuery('search')
  const named = jobs.filter(({ model, id, error_message }) => {
    return matching(name, `${model.entity}/${model.project}/${model.name}`, id, error_message)
  })
  const [form, setForm] = useQuery('new')
  const rows = named.filter((job) => status === 'all' || job.status === status)
  return (
    <>
      <h1 tabIndex={-1}>Jobs</h1>
      {form === 'job' && <NewJob close={() => setForm('')} />}
      <NextJobFails />
      <LiveTable
        label="Jobs"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        row={jobRow}
        view={`${status} ${name}`}
        empty={jobs.length === 0 ? <NoJobs /> : <p>No job matches. Clear the filter.</p>}
      >
        <button aria-expanded={form === 'job'} onClick={() => setForm(form === 'job' ? '' : 'job')}>
          New job
        </button>
        <div class="choices" role="group" aria-label="State">
          {(['all', ...STATUSES] as const).map((each) => (
            <button key={each} aria-pressed={each === status} onClick={() => setStatus(each)}>
              {each} <span class="count">{countOf(named, each)}</span>
            </button>
          ))}
        </div>
        <label>
          <span class="hidden-label">Model or job</span>
          <input
            type="search"
            placeholder="Model or job"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
      </LiveTable>
    </>
  )
}

function countOf(jobs: readonly Job[], status: JobStatus | 'all'): string {
  const count = status === 'all' ? jobs.length : jobs.filter((job) => job.status === status).length
  return figure(count)
}

function jobRow(job: Job): ComponentChildren {
  const { id, kind, model, ordinal, latest, created_at, error_message } = job
  return (
    <tr key={id}>
      <td>
        <a href={hrefOf({ page: 'job', id })}>{model.name}</a> <span class="faint">#{ordinal}</span>
        {error_message !== null && <span class="faint"> {error_message}</span>}
      </td>
      <td>
        <JobState job={job} />
      </td>
      <td>
        <Progress job={job} />
      </td>
      <td class="number">{aligned(latest['loss'])}</td>
      <td class="number">{aligned(latest['reward'])}</td>
      <td class="number">{lasting(durationOf(job))}</td>
      <td>{kind.toUpperCase()}</td>
      <td class="mono">{shortId(id)}</td>
      <td class="mono">
        <Moment at={created_at} />
      </td>
    </tr>
  )
}

/** The time from the start to the end, in milliseconds. Null while the job is queued or runs. */
function durationOf({ training_start, training_end }: Job): number | null {
  if (!training_start || !training_end) return null
  return Date.parse(training_end) - Date.parse(training_start)
}

/** NaN and Infinity are texts here. They are sorted after the numbers. */
function sortable(value: unknown): number | string | null {
  return typeof value === 'number' || typeof value === 'string' ? value : null
}

/** A small number with four decimals, so that the column is aligned. */
function aligned(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'number' && Math.abs(value) < 1000 ? value.toFixed(4) : figure(value)
}

function NoJobs(): ComponentChildren {
  const elsewhere = useElsewhere()
  if (elsewhere !== undefined) return <p>No jobs in this world. {elsewhere}</p>
  return (
    <>
      <p>No jobs yet. A job appears here at once when your client creates it. Try it:</p>
      <Snippets of={trainSnippets} />
    </>
  )
}
