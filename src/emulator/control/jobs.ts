import {
  events,
  eventSlice,
  job,
  jobFilter,
  jobPath,
  jobs,
  series,
  seriesQuery,
} from './schemas/jobs.js'
import { modelByIdOrName } from '../models.js'
import { jobCalled } from './called.js'
import { jobActs } from './job-acts.js'
import { eventState, matchingJobs, jobState } from './job-state.js'
import { noModel } from './models.js'
import { createJob } from './new-job.js'
import { control } from './row.js'
import { seriesOf } from './metric-series.js'

const listJobs = control({
  id: 'listJobs',
  method: 'GET',
  path: '/_emulator/jobs',
  summary: 'The jobs, newest first; filters by model (id or name) and status',
  refusals: [404],
  query: jobFilter,
  response: jobs,
  run({ engine, query }) {
    const found = matchingJobs(engine, query)
    const { model } = query
    // The jobs of a deleted model are still there.
    const isKnown = found.length > 0 || model === undefined || modelByIdOrName(engine, model)
    return isKnown ? { jobs: found.map((each) => jobState(each, engine)) } : noModel(engine, model)
  },
})

const readJob = control({
  id: 'readJob',
  method: 'GET',
  path: '/_emulator/jobs/{job_id}',
  summary: 'One job with all its details',
  params: jobPath,
  response: job,
  run({ emulator: world, engine, params }) {
    return jobState(jobCalled(world, params.job_id), engine)
  },
})

const listJobEvents = control({
  id: 'listJobEvents',
  method: 'GET',
  path: '/_emulator/jobs/{job_id}/events',
  summary: "A slice of a job's events, each with its time",
  params: jobPath,
  query: eventSlice,
  response: events,
  run({ emulator: world, params, query }) {
    const found = jobCalled(world, params.job_id)
    const total = found.events.count
    const from = query.from < 0 ? Math.max(0, total + query.from) : Math.min(query.from, total)
    const length = Math.min(query.limit, total - from)
    return { events: Array.from({ length }, (_, index) => eventState(found, from + index)), total }
  },
})

const readJobMetrics = control({
  id: 'readJobMetrics',
  method: 'GET',
  path: '/_emulator/jobs/{job_id}/metrics',
  summary: "The metrics of a job's gradient steps as columns of at most `points` values",
  params: jobPath,
  query: seriesQuery,
  response: series,
  run({ emulator: world, params, query }) {
    return seriesOf(jobCalled(world, params.job_id), query.points)
  },
})

export const jobOperations = [
  listJobs,
  createJob,
  readJob,
  listJobEvents,
  readJobMetrics,
  ...jobActs,
]
