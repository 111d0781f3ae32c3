import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { NewJob } from './new-job.js'
import { useTextFilter } from '../parts/text-filter.js'
import { CountedChoices } from '../parts/choice.js'
import { Page } from '../parts/page.js'
import { CREATED, LiveTable, type Column } from '../parts/live-table.js'
import { FirstVisit } from '../parts/first-visit.js'
import { JobCurve, JobCurves } from '../parts/job-curves.js'
import { NextJobFails } from '../parts/next-job-fails.js'
import { hrefOf, useChoice, useQuery } from '../routes.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { useLive } from '../data/use-live.js'
import {
  figure,
  fullName,
  JobState,
  lasting,
  Progress,
  shortId,
  stateOf,
} from '../parts/wording.js'

type JobStatus = Job['status']

/** What a job can be filtered by. The compiler checks that no status is missing. */
const STATES = Object.keys({ all: 0, queued: 0, running: 0, ended: 0, failed: 0 } satisfies Record<
  JobStatus | 'all',
  0
>) as (JobStatus | 'all')[]

const COLUMNS: readonly Column<Job>[] = [
  ['Model', 'w-grow', modelOf, { sort: ({ model }) => model.name }],
  ['State', 'w-state', (job) => <JobState job={job} />, { sort: stateOf }],
  ['Steps', 'w-progress', (job) => <Progress job={job} />, { sort: ({ step }) => step }],
  metricColumn('Loss'),
  metricColumn('Reward', { wide: true }),
  ['Duration', 'w-took', (job) => lasting(durationOf(job)), { sort: durationOf, wide: true }],
  ['Kind', 'w-short', ({ kind }) => kind.toUpperCase(), { sort: true, wide: true }],
  ['Job', 'w-id', ({ id }) => shortId(id), { wide: true }],
  CREATED,
]

function modelOf({ id, model, ordinal, error_message }: Job): ComponentChildren {
  return (
    <>
      <a href={hrefOf({ page: 'job', id })}>{model.name}</a> <span class="faint">#{ordinal}</span>
      {error_message !== null && <span class="faint"> {error_message}</span>}
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

export function JobsPage(): ComponentChildren {
  const jobs = [...useLive((live) => live.jobs).values()].reverse()
  const [status, setStatus] = useChoice('state', STATES)
  const { text, found, field } = useTextFilter(jobs, {
    example: 'Model or job',
    label: 'Model or job',
    textsOf: ({ model, id, error_message }) => [fullName(model), id, error_message],
  })
  const [form, setForm] = useQuery('new')
  const rows = found.filter((job) => status === 'all' || job.status === status)
  return (
    <Page title="Jobs">
      {form === 'job' && <NewJob close={() => setForm('')} />}
      <FirstVisit />
      <NextJobFails />
      <JobCurves>
        <LiveTable
          label="Jobs"
          columns={COLUMNS}
          rows={rows}
          keyOf={({ id }) => id}
          view={`${status} ${text}`}
          empty={jobs.length === 0 ? <NoJobs /> : <p>No job matches. Clear the filter.</p>}
        >
          <button
            aria-expanded={form === 'job'}
            onClick={() => setForm(form === 'job' ? '' : 'job')}
          >
            New job
          </button>
          <CountedChoices
            label="State"
            of={STATES}
            chosen={status}
            choose={setStatus}
            count={(each) => countOf(found, each)}
          />
          {field}
        </LiveTable>
      </JobCurves>
    </Page>
  )
}

function countOf(jobs: readonly Job[], status: JobStatus | 'all'): number {
  return jobs.filter((job) => status === 'all' || job.status === status).length
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
