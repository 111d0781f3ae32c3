import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlJob as Job } from '../control/schemas.js'
import { LiveTable } from './live-table.js'
import { hrefOf } from './routes.js'
import { useLive } from './use-live.js'
import { counted, figure, JobState, Moment, Progress, shortId } from './wording.js'

type JobStatus = Job['status']

/** All statuses. The compiler checks that none is missing. */
const STATUSES = Object.keys({ queued: 0, running: 0, ended: 0, failed: 0 } satisfies Record<
  JobStatus,
  0
>) as JobStatus[]

const COLUMNS = [
  ['Model', 'w-grow'],
  ['State', 'w-state'],
  ['Steps', 'w-progress'],
  ['Loss', 'w-number'],
  ['Reward', 'w-number'],
  ['Kind', 'w-short'],
  ['Job', 'w-id'],
  ['Created', 'w-time'],
] as const

export function JobsPage(): ComponentChildren {
  const jobs = [...useLive((live) => live.jobs).values()].reverse()
  const [status, setStatus] = useState<JobStatus | 'all'>('all')
  const [name, setName] = useState('')
  const named = jobs.filter(({ model, id }) => model.name.includes(name) || id.startsWith(name))
  const rows = named.filter((job) => status === 'all' || job.status === status)
  return (
    <>
      <h1 tabIndex={-1}>Jobs</h1>
      <LiveTable
        label="Jobs"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ id }) => id}
        row={jobRow}
        view={`${status} ${name}`}
        empty={jobs.length === 0 ? <NoJobs /> : <p>No job matches. Clear the filter.</p>}
      >
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
  const { id, kind, model, ordinal, latest, created_at } = job
  return (
    <tr key={id}>
      <td>
        <a
          href={hrefOf({ page: 'job', id })}
          title={`${model.entity}/${model.project}/${model.name}`}
        >
          {model.name}
        </a>{' '}
        <span class="faint" title={counted(ordinal, 'job')}>
          #{ordinal}
        </span>
      </td>
      <td>
        <JobState job={job} />
      </td>
      <td>
        <Progress job={job} />
      </td>
      <td class="number">{aligned(latest['loss'])}</td>
      <td class="number">{aligned(latest['reward'])}</td>
      <td>{kind.toUpperCase()}</td>
      <td class="mono">{shortId(id)}</td>
      <td class="mono">
        <Moment at={created_at} />
      </td>
    </tr>
  )
}

/** A small number with four decimals, so that the column is aligned. */
function aligned(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'number' && Math.abs(value) < 1000 ? value.toFixed(4) : figure(value)
}

function NoJobs(): ComponentChildren {
  const info = useLive((live) => live.info)
  return (
    <>
      <p>No jobs yet. Create one with your client, pointed at</p>
      <pre>SVTRAIN_BASE_URL={info?.training_url}</pre>
      <p>It appears here at once.</p>
    </>
  )
}
