import {
  events,
  eventSlice,
  failRequest,
  job,
  jobFilter,
  jobPath,
  jobRequest,
  jobs,
  series,
  seriesQuery,
  type Accepts,
  type Series,
} from './schemas.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import type { Schema } from '../contract/pydantic/schema.js'
import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import type { ModelState } from '../engine/model.js'
import { rlSubmission, sftSubmission, type Submitted } from '../engine/jobs/submission.js'
import { assumedData } from '../engine/jobs/training-data.js'
import type { RlRules } from '../scenario/scenario.js'
import { findOrCreateModel } from '../emulator/models.js'
import { eventState, matchingJobs, jobState } from './job-state.js'
import { modelProblem } from './models.js'
import { control } from './row.js'

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
    const wrong = found.length === 0 ? modelProblem(engine, query.model) : undefined
    return wrong ?? { jobs: found.map(jobState) }
  },
})

const createJob = control({
  id: 'createJob',
  method: 'POST',
  path: '/_emulator/jobs',
  summary: 'Creates a job as a client would, and its model if it does not exist',
  refusals: [409],
  body: jobRequest,
  response: job,
  async run({ engine, body: { model: idOrName = 'demo-model', kind, trajectories } }) {
    const cause = engine.journal.note(`control: a job on ${idOrName}`)
    const model = await findOrCreateModel(engine, idOrName, cause)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    const submitted =
      kind === 'rl' ? invented(trajectories, engine.scenario.rl) : assumed(model, trajectories)
    return jobState(engine.training.create(model, { kind, submitted, cause }))
  },
})

/** A submission in which every other trajectory has the reward 1. */
function invented(trajectories: number, rules: RlRules): Submitted {
  const rewarded = Array.from({ length: trajectories }, (_, index) => ({
    ...BLANK,
    reward: 1 - (index % 2),
  }))
  return rlSubmission([{ trajectories: rewarded }], null, rules)
}

const BLANK = {
  messages_and_choices: [],
  tools: null,
  additional_histories: [],
  initial_policy_version: null,
  final_policy_version: null,
  metrics: {},
  metadata: {},
  logs: [],
}

function assumed({ record }: ModelState, lines: number): Submitted {
  const training_data_url = `control:///${lines}-lines`
  return sftSubmission(assumedData(training_data_url, lines), {
    model_id: record.id,
    training_data_url,
    config: null,
    experimental_config: null,
  })
}

const readJob = control({
  id: 'readJob',
  method: 'GET',
  path: '/_emulator/jobs/{job_id}',
  summary: 'One job with all its details',
  params: jobPath,
  response: job,
  run({ engine, params }) {
    const found = engine.store.jobs.get(params.job_id)
    return found ? jobState(found) : apiErrors.trainingJobNotFound()
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
  run({ engine, params, query }) {
    const found = engine.store.jobs.get(params.job_id)
    if (!found) return apiErrors.trainingJobNotFound()
    const total = found.eventCount
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
  run({ engine, params, query }) {
    const found = engine.store.jobs.get(params.job_id)
    return found ? seriesOf(found, query.points) : apiErrors.trainingJobNotFound()
  },
})

interface Act<Id, Verb, Body, SentBody> {
  id: Id
  verb: Verb
  summary: string
  /** Default: the row takes no body. */
  body?: Schema<Body> & Accepts<SentBody>
  /** Returns why the action is not possible now; undefined if it is. */
  hindrance?: (job: Job) => string | undefined
  perform: (engine: Engine, on: { model: ModelState; job: Job; body: Body }) => void
}

function actRow<const Id extends string, const Verb extends string, Body, SentBody>({
  id,
  verb,
  summary,
  body: schema,
  hindrance,
  perform,
}: Act<Id, Verb, Body, SentBody>) {
  return control({
    id,
    method: 'POST',
    path: `/_emulator/jobs/{job_id}/${verb}` as const,
    summary,
    refusals: [409],
    params: jobPath,
    ...(schema && { body: schema }),
    response: job,
    run({ engine, params, body }) {
      const found = engine.store.jobs.get(params.job_id)
      if (!found) return apiErrors.trainingJobNotFound()
      const model = engine.store.model(found.model.id)
      const why = found.over ? `has ${found.status}` : hindrance?.(found)
      if (why !== undefined || !model) {
        return new ApiError(409, `Failed to ${verb} job ${found.id}: it ${why}.`)
      }
      engine.journal.note(`control: ${verb} job ${found.id.slice(0, 8)}`, found.cause)
      perform(engine, { model, job: found, body })
      return jobState(found)
    },
  })
}

const acts = [
  actRow({
    id: 'failJob',
    verb: 'fail',
    summary: 'Ends a job now as a failure, with your message',
    body: failRequest,
    perform(
      { training },
      { model, job: found, body: { error_message: message = 'Training failed' } },
    ) {
      training.fail(model, found, message)
    },
  }),
  actRow({
    id: 'finishJob',
    verb: 'finish',
    summary: 'Ends a job now with success: its remaining steps happen at once',
    perform: ({ training }, { model, job: found }) => training.finish(model, found),
  }),
  actRow({
    id: 'stallJob',
    verb: 'stall',
    summary: 'Stops a job until you resume it',
    hindrance: ({ stalled }) => (stalled ? 'is stalled already' : undefined),
    perform: ({ training }, { job: found }) => training.stall(found),
  }),
  actRow({
    id: 'resumeJob',
    verb: 'resume',
    summary: 'Continues a stalled job from where it stopped',
    hindrance: ({ stalled }) => (stalled ? undefined : 'is not stalled'),
    perform: ({ training }, { model, job: found }) => training.resume(model, found),
  }),
]

type Column = (number | null)[]

/**
 * The metrics of a job's gradient steps, as columns of at most `points` values. The steps of a longer job
 * are divided into buckets. Each bucket keeps the least and the greatest value of each metric, in their
 * order, at its first and last step. So no peak is lost, and a chart looks the same.
 */
function seriesOf(found: Job, points: number): Series {
  const count = found.gradientSteps
  return count <= points ? fullSeries(found) : thinnedSeries(found, Math.floor(points / 2))
}

function fullSeries({ gradientSteps, script }: Job): Series {
  const steps: number[] = []
  const columns = new Map<string, Column>()
  for (let step = 1; step <= gradientSteps; step++) {
    const metrics = script.metricsAt(step)
    for (const name in metrics)
      columnFor(columns, name, gradientSteps)[step - 1] = finiteOrNull(metrics[name])
    steps.push(step)
  }
  return { steps, metrics: Object.fromEntries(columns) }
}

function thinnedSeries({ gradientSteps, script }: Job, buckets: number): Series {
  const steps: number[] = []
  const columns = new Map<string, Column>()
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = Math.floor((bucket * gradientSteps) / buckets) + 1
    const last = Math.floor(((bucket + 1) * gradientSteps) / buckets)
    const extremes = new Map<string, Extremes>()
    for (let step = first; step <= last; step++) {
      const metrics = script.metricsAt(step)
      for (const name in metrics) widen(extremes, name, finiteOrNull(metrics[name]))
    }
    for (const [name, { least, greatest, rising }] of extremes) {
      const column = columnFor(columns, name, 2 * buckets)
      column[2 * bucket] = rising ? least : greatest
      column[2 * bucket + 1] = rising ? greatest : least
    }
    steps.push(first, last)
  }
  return { steps, metrics: Object.fromEntries(columns) }
}

interface Extremes {
  least: number
  greatest: number
  /** Whether the greatest value came after the least. */
  rising: boolean
}

function widen(extremes: Map<string, Extremes>, name: string, value: number | null): void {
  if (value === null) return
  const known = extremes.get(name)
  if (!known) {
    extremes.set(name, { least: value, greatest: value, rising: true })
  } else if (value > known.greatest) {
    known.greatest = value
    known.rising = true
  } else if (value < known.least) {
    known.least = value
    known.rising = false
  }
}

function columnFor(columns: Map<string, Column>, name: string, length: number): Column {
  let column = columns.get(name)
  if (!column) columns.set(name, (column = Array.from<null>({ length }).fill(null)))
  return column
}

/** The number, or null if a chart cannot draw it. */
function finiteOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export const jobOperations = [listJobs, createJob, readJob, listJobEvents, readJobMetrics, ...acts]
