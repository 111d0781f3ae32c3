import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { Charts } from '../kit/charts.js'
import type { Curves } from '../kit/curves.js'
import { notFiniteText } from '../kit/line.js'
import { compareHref } from '../parts/runs.js'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call, isMissing } from '../data/control.js'
import { useJobFeed, type JobEvent, type JobFeed } from '../data/job-feed.js'
import { JobActions } from './job-actions.js'
import { JobCheckpoints, JobDeliveries, JobRequests } from './job-consequences.js'
import { JobFindings, JobTrainingData, JobTrainingFile } from './job-training-data.js'
import { Loaded, Page } from '../parts/page.js'
import { Timeline } from '../parts/timeline.js'
import { LiveTable, type Column, type RowDetails } from '../kit/table.js'
import { hrefOf } from '../routes.js'
import { Problem } from '../parts/use-action.js'
import { useLive } from '../data/use-live.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { useLoaded } from '../data/use-loaded.js'
import { JobState, Progress } from '../parts/state.js'
import { figure } from '../parts/amounts.js'
import { Moment, Name, Facts } from '../parts/facts.js'
import { metricsLine } from '../parts/metrics.js'
import { fullName } from '../parts/names.js'

export function JobPage({ id }: { id: string }): ComponentChildren {
  const loaded = useLoaded(() => call('GET /jobs/{job_id}', { params: { job_id: id } }), id)
  const streamed = useLive((live) => live.jobs.get(id))
  const value = streamed ?? loaded.value
  const error = value ? undefined : loaded.error
  return (
    <>
      <Loaded of={{ value, error }} what="job">
        {(job) => <JobDetails job={job} />}
      </Loaded>
      {isMissing(error) && (
        <p>
          It may be from before the last reset. <a href={hrefOf({ page: 'jobs' })}>All jobs</a>
        </p>
      )}
    </>
  )
}

function JobDetails({ job }: { job: Job }): ComponentChildren {
  const feed = useJobFeed(job.id)
  const { model, ordinal } = job
  const title = (
    <>
      <Name of={model.name} /> <span class="faint">#{ordinal}</span> <JobState job={job} />
    </>
  )
  return (
    <Page title={title} summary={<Summary job={job} />}>
      <JobActions job={job} />
      <Problem of={feed?.error} />
      <JobFindings job={job} />
      {feed && <NotFinite curves={feed.curves} />}
      {feed?.isLoaded && <JobCharts feed={feed} job={job} />}
      <Timeline
        job={job.id}
        limit={TIMELINE}
        heading={
          <h2>
            <a href={hrefOf({ page: 'timeline' }, { job: job.id })}>Timeline</a>
          </h2>
        }
      />
      {job.kind === 'rl' ? <JobTrainingData job={job} /> : <JobTrainingFile job={job} />}
      {feed?.isLoaded && <Events feed={feed} job={job} />}
      <JobCheckpoints job={job} />
      <JobDeliveries job={job} />
      <JobRequests job={job} />
    </Page>
  )
}

/** How many entries the timeline on this page has. The page of the timeline has more. */
const TIMELINE = 300

function Summary({ job }: { job: Job }): ComponentChildren {
  const { model, id, kind } = job
  return (
    <>
      <Progress job={job} />
      <Facts
        of={{
          Job: <code>{id}</code>,
          Model: (
            <code>
              <Name of={fullName(model)} />
            </code>
          ),
          Kind: kind === 'rl' ? 'reinforcement learning' : 'supervised fine-tuning',
          Created: <Moment at={job.created_at} />,
          Started: <Moment at={job.training_start} />,
          Ended: <Moment at={job.training_end} />,
        }}
      />
      {job.error_message !== null && <p class="problem note">{job.error_message}</p>}
      {job.status === 'running' && job.why_waiting !== null && (
        <p class="note">The job waits: {job.why_waiting}.</p>
      )}
    </>
  )
}

/** How many runs of values are named for each metric. */
const MOST_RUNS = 3

/** Says at which step each metric became NaN or infinite. */
function NotFinite({ curves }: { curves: Curves }): ComponentChildren {
  const broken = curves.names.filter((name) => curves.notFinite(name).length > 0)
  if (broken.length === 0) return null
  return (
    <ul class="problem note" aria-label="Values that are not finite">
      {broken.map((name) => (
        <li key={name}>
          <b>{name}</b> {notFiniteText(curves.notFinite(name), MOST_RUNS, curves.last)}
        </li>
      ))}
    </ul>
  )
}

/** The curves of a job. */
function JobCharts({ feed, job }: { feed: JobFeed; job: Job }): ComponentChildren {
  const { curves } = feed
  const going = job.status === 'queued' || job.status === 'running'
  const jobs = useLive((live) => live.jobs)
  // The columns grow in place, so their size says that they changed.
  const lines = useMemo(
    () => curves.names.map((name) => curves.line(name)),
    [curves, curves.steps.length],
  )
  return (
    <Charts
      of={lines}
      end={going ? job.steps : null}
      empty="Curves appear with the first gradient step."
    >
      <a href={compareHref(job, jobs)}>Compare with other jobs</a>
    </Charts>
  )
}

const EVENT_COLUMNS: readonly Column<JobEvent>[] = [
  ['No.', 'w-index', ({ index }) => figure(index)],
  ['At', 'w-time', ({ at }) => <Moment at={at} />],
  ['Event', 'w-event mono', eventName],
  ['Data', 'w-grow mono', ({ data }) => metricsLine(data), { wide: true }],
]

function eventName({ type }: JobEvent): ComponentChildren {
  return type === 'training_failed' ? <span class="bad">{type}</span> : type
}

const EVENT_DETAILS: RowDetails<JobEvent> = {
  idOf: ({ index }) => `event-${index}`,
  show: ({ id, data }) => (
    <>
      <p class="mono">{id}</p>
      <pre tabIndex={0}>{JSON.stringify(data, undefined, 2)}</pre>
    </>
  ),
}

function Events({ feed, job }: { feed: JobFeed; job: Job }): ComponentChildren {
  const before = feed.events[0]?.index ?? 0
  return (
    <LiveTable
      label="Events"
      columns={EVENT_COLUMNS}
      rows={feed.events.toReversed()}
      keyOf={({ index }) => index}
      details={EVENT_DETAILS}
      empty={<NoEvents job={job} />}
      heading={feed.total}
    >
      {before > 0 && (
        <button onClick={() => feed.earlier()}>Show earlier ({figure(before)} more)</button>
      )}
    </LiveTable>
  )
}

function NoEvents({ job: { id, stalled } }: { job: Job }): ComponentChildren {
  const { value, reload } = useLoaded(
    () => call('GET /jobs/{job_id}', { params: { job_id: id } }),
    id,
  )
  // The stream sends a job when it changes itself. This depends on another one.
  useReloadOn(['job', 'note'], reload)
  if (stalled) return <p>No events: you stalled the job before it started. Resume it.</p>
  if (value?.why_waiting) return <p>No events yet: {value.why_waiting}.</p>
  return <p>No events yet: the job is queued. Step the clock, or wait.</p>
}
