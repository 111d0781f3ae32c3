import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { NewJob } from './new-job.js'
import type { Listing } from '../kit/records.js'
import type { Column } from '../kit/table.js'
import { FirstVisit } from '../parts/first-visit.js'
import { JobCurve, JobCurves } from '../kit/small-curve.js'
import { column } from '../kit/value.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { hrefOf } from '../routes.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { MOST_JOBS } from '../data/live.js'
import { useLive } from '../data/use-live.js'
import { JobState, Progress, jobStateOf } from '../parts/state.js'
import { figure, lasting } from '../parts/amounts.js'

/** What a job can be filtered by. The compiler checks that no status is missing. */
const STATES: Record<Job['status'], 0> = { queued: 0, running: 0, ended: 0, failed: 0 }

const COLUMNS: readonly Column<Job>[] = [
  ['Model', 'w-job', modelOf, { sort: ({ model }) => model.name }],
  ['State', 'w-state', (job) => <JobState job={job} />, { sort: jobStateOf }],
  ['Error', 'w-grow', errorOf, { sort: ({ error_message }) => error_message, wide: true }],
  ['Steps', 'w-progress', (job) => <Progress job={job} />, { sort: ({ step }) => step }],
  metricColumn('loss', { heading: 'Loss' }),
  metricColumn('reward', { heading: 'Reward', wide: true }),
  ['Duration', 'w-took', (job) => lasting(durationOf(job)), { sort: durationOf, wide: true }],
  column('created_at', { wide: true }),
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
function metricColumn(
  metric: string,
  { heading, ...options }: { heading: string; wide?: true },
): Column<Job> {
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
    {
      name: 'state',
      label: 'State',
      answerOf: ({ status }) => status,
      values: Object.keys(STATES),
    },
  ],
  most: MOST_JOBS,
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
