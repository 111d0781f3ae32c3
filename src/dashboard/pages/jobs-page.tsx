import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { NewJob } from './new-job.js'
import type { Listing } from '../kit/records.js'
import { CREATED, type Column } from '../kit/table.js'
import { linkTo } from '../parts/link.js'
import { JobCurve, JobCurves } from '../kit/small-curve.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { hrefOf } from '../routes.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { useLive } from '../data/use-live.js'
import { figure, JobState, lasting, Progress, stateOf } from '../parts/wording.js'

/** What a job can be filtered by. The compiler checks that no status is missing. */
const STATES: Record<Job['status'], 0> = { queued: 0, running: 0, ended: 0, failed: 0 }

const COLUMNS: readonly Column<Job>[] = [
  ['Model', 'w-job', modelOf, { sort: ({ model }) => model.name }],
  ['State', 'w-state', (job) => <JobState job={job} />, { sort: stateOf }],
  ['Error', 'w-grow', errorOf, { sort: ({ error_message }) => error_message, wide: true }],
  ['Steps', 'w-progress', (job) => <Progress job={job} />, { sort: ({ step }) => step }],
  metricColumn('Loss'),
  metricColumn('Reward', { wide: true }),
  ['Duration', 'w-took', (job) => lasting(durationOf(job)), { sort: durationOf, wide: true }],
  CREATED,
]

/** All of it is on the page of the job, and where the pointer is. */
function errorOf({ error_message: error }: Job): ComponentChildren {
  return error === null ? null : <span title={error}>{error}</span>
}

function modelOf({ id, model, ordinal, error_message: error }: Job): ComponentChildren {
  return (
    <>
      <a href={hrefOf({ page: 'job', id })}>{model.name}</a> <span class="faint">#{ordinal}</span>
      {error !== null && <span class="only-narrow faint"> {error}</span>}
    </>
  )
}

/** The latest value of a metric, and its curve. NaN and Infinity are texts here: they are sorted after the numbers. */
function metricColumn(heading: 'Loss' | 'Reward', options: { wide?: true } = {}): Column<Job> {
  const metric = heading.toLowerCase()
  const valueOf = ({ latest }: Job): unknown => latest[metric]
  const sort = (job: Job): number | string | null => {
    const value = valueOf(job)
    return typeof value === 'number' || typeof value === 'string' ? value : null
  }
  const cell = (job: Job): ComponentChildren => (
    <span class="metric">
      <JobCurve job={job} metric={metric} />
      <span>{aligned(valueOf(job))}</span>
    </span>
  )
  return [heading, 'w-metric', cell, { sort, ...options }]
}

/** The latest jobs. */
export const JOBS: Listing<Job> = {
  title: 'Jobs',
  thing: 'job',
  useRows: () => {
    const jobs = useLive((live) => live.jobs)
    const value = useMemo(() => [...jobs.values()].reverse(), [jobs])
    return { value, error: undefined, reload: () => {} }
  },
  keyOf: ({ id }) => id,
  columns: COLUMNS,
  facets: [
    { name: 'state', label: 'State', of: ({ status }) => status, values: Object.keys(STATES) },
  ],
  find: 'Model, job or error',
  add: { label: 'New job', Form: NewJob },
  Above: () => (
    <>
      <FirstVisit />
      <NextJobFails />
    </>
  ),
  Around: JobCurves,
  Empty: () => (
    <>
      <p>No jobs yet. A job appears here at once when your client creates it. Try it:</p>
      <Snippets of={trainSnippets} />
    </>
  ),
}

/** The time from the start to the end, in milliseconds. Null while the job is queued or runs. */
function durationOf({ training_start, training_end }: Job): number | null {
  if (!training_start || !training_end) return null
  return Date.parse(training_end) - Date.parse(training_start)
}

/** A small number with four decimals, so that the column is aligned. */
function aligned(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'number' && Math.abs(value) < 1000 ? value.toFixed(4) : figure(value)
}

const VISITED = 'svtrain-visited'

/** What to look at first, until the user has read it once. */
function FirstVisit(): ComponentChildren {
  const [isFirst, setFirst] = useState(() => localStorage.getItem(VISITED) === null)
  if (!isFirst) return null
  const close = (): void => {
    localStorage.setItem(VISITED, 'before')
    setFirst(false)
  }
  return (
    <aside class="first-visit note line" aria-label="What to look at">
      <ul>
        <li>
          {linkTo({ page: 'jobs' }, 'Jobs')}: each job with its curves, events and checkpoints, as
          it trains.
        </li>
        <li>
          {linkTo({ page: 'requests' }, 'Requests')}: each call of your client, and what was wrong
          with it.
        </li>
        <li>
          {linkTo({ page: 'timeline' }, 'Timeline')}: what caused what, up to the last webhook.
        </li>
        <li>
          {linkTo({ page: 'faults' }, 'Faults')} and {linkTo({ page: 'scenario' }, 'Scenario')}:
          decide what happens next.
        </li>
      </ul>
      <button onClick={close}>Got it</button>
    </aside>
  )
}
