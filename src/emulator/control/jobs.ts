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
import { ApiError, apiErrors } from '../../service/contract/errors.js'
import type { Schema } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { ModelState } from '../../service/engine/model.js'
import {
  rlSubmission,
  sftSubmission,
  type SubmittedJob,
} from '../../service/engine/jobs/submission.js'
import { assumedData } from '../../service/engine/jobs/training-data.js'
import type { FaultRequest } from '../../service/engine/faults/live-fault.js'
import { LOCAL_ACCOUNT } from '../../service/scenario/account.js'
import type { JobKind, JobRule, RlRules } from '../../service/scenario/scenario.js'
import type { Emulator } from '../emulator.js'
import { NO_MODEL, readGroups } from '../jobs.js'
import { orRefusal } from './or-refusal.js'
import { findOrCreateModel } from '../models.js'
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
  async run({ emulator, engine, body }) {
    const { model: idOrName = 'demo-model', kind, trajectories, trajectory_groups: groups } = body
    const rule = await ruleOf(emulator, body.timeline)
    if (rule instanceof ApiError) return rule
    const sent = groups && (await sentGroups(emulator, { kind, groups }))
    if (sent instanceof ApiError) return sent
    const cause = engine.journal.note(`control: a job on ${idOrName}`)
    const model = await findOrCreateModel(engine, idOrName, cause)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    const made = (): SubmittedJob =>
      kind === 'rl' ? invented(trajectories, engine.scenario.rl) : assumed(model, trajectories)
    const submitted = sent ?? made()
    const fault = engine.faults.failJob(() => factsOf(kind, model))
    if (fault) engine.journal.note(fault.effect, cause)
    return jobState(
      engine.training.create(model, { kind, submitted, rule, cause, failure: fault?.rule }),
    )
  },
})

/** Reads the timeline of a job. Without one, the scenario decides. */
async function ruleOf(
  { checks }: Emulator,
  timeline: readonly unknown[] | null | undefined,
): Promise<JobRule | ApiError | undefined> {
  if (!timeline) return undefined
  const { timeline: check } = await checks.load()
  return orRefusal(() => check(timeline))
}

/** Reads the trajectories of an RL job, as a client sends them. */
async function sentGroups(
  emulator: Emulator,
  { kind, groups }: { kind: JobKind; groups: readonly unknown[] },
): Promise<SubmittedJob | ApiError> {
  if (kind === 'sft') {
    return new ApiError(
      400,
      'trajectory_groups: an SFT job has none. Leave them out, or use kind rl.',
    )
  }
  const read = await readGroups(emulator, { model_id: NO_MODEL, trajectory_groups: groups })
  if ('submitted' in read) return read.submitted
  return new ApiError(400, ['The trajectories cannot be used:', ...read.problems].join('\n  '))
}

/** What faults see of a job that is created here: the call of a client that would create it. */
function factsOf(kind: JobKind, { record }: ModelState): FaultRequest {
  const [operation, path] =
    kind === 'rl'
      ? ['createRlTrainingJob', '/v1/preview/training-jobs']
      : ['createSftTrainingJob', '/v1/preview/sft-training-jobs']
  const { name: model, project } = record
  const { user } = LOCAL_ACCOUNT
  const made = { host: 'training', method: 'POST', key: '', headers: {}, judge: false } as const
  return { ...made, body: undefined, step: undefined, operation, path, user, model, project }
}

/** A submission in which every other trajectory has the reward 1. */
function invented(trajectories: number, rules: RlRules): SubmittedJob {
  const rewarded = Array.from({ length: trajectories }, (_, index) => ({
    ...BLANK,
    reward: 1 - (index % 2),
  }))
  return rlSubmission([{ trajectories: rewarded }], null, { rules })
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

function assumed({ record }: ModelState, lines: number): SubmittedJob {
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
 * The metrics of a job's gradient steps, as columns. A longer job is divided into buckets of steps. Each bucket
 * keeps the steps at which a metric has its least and its greatest value, so no peak is lost. Each value is the
 * value of its step.
 */
export function seriesOf(found: Job, points: number): Series {
  const { gradientSteps, script } = found
  const bad = new NonFiniteRuns(points)
  const steps = gradientSteps <= points ? upTo(gradientSteps) : thinnedSteps(found, points, bad)
  const columns = new Map<string, Column>()
  for (const [row, step] of steps.entries()) {
    const metrics = script.metrics.at(step)
    // The steps of a longer job were all seen before.
    if (gradientSteps <= points) bad.add(step, metrics)
    for (const name in metrics) {
      columnFor(columns, name, steps.length)[row] = finiteOrNull(metrics[name])
    }
  }
  return { steps, metrics: Object.fromEntries(columns), not_finite: bad.runs }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Chooses at most `points` steps of a job, among them the first and the last one. */
function thinnedSteps(
  { gradientSteps, script }: Job,
  points: number,
  bad: NonFiniteRuns,
): number[] {
  const width = 2 * Object.keys(script.metrics.at(1)).length
  const buckets = Math.max(1, Math.floor(points / Math.max(2, width)))
  const steps: number[] = []
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = Math.floor((bucket * gradientSteps) / buckets) + 1
    const last = Math.floor(((bucket + 1) * gradientSteps) / buckets)
    const extremes = new Map<string, Extremes>()
    for (let step = first; step <= last; step++) {
      const metrics = script.metrics.at(step)
      bad.add(step, metrics)
      for (const name in metrics) widen(extremes, step, { name, value: metrics[name] })
    }
    const most =
      Math.floor(((bucket + 1) * points) / buckets) - Math.floor((bucket * points) / buckets)
    const chosen = new Set<number>()
    if (first === 1) chosen.add(first)
    if (last === gradientSteps) chosen.add(last)
    for (const step of candidates([...extremes.values()], { first, last, most })) {
      if (chosen.size >= most) break
      chosen.add(step)
    }
    steps.push(...[...chosen].sort((one, other) => one - other))
  }
  return steps
}

/** The steps that a bucket should keep, the most important ones first: extremes, then others at equal distances. */
function* candidates(
  extremes: readonly Extremes[],
  { first, last, most }: { first: number; last: number; most: number },
): Generator<number> {
  for (const { least, greatest } of extremes) yield* [greatest.step, least.step]
  for (let place = 0; place < most; place++) {
    yield first + Math.floor((place * (last - first + 1)) / most)
  }
}

interface Extremes {
  least: { step: number; value: number }
  greatest: { step: number; value: number }
}

interface MetricValue {
  name: string
  value: unknown
}

function widen(extremes: Map<string, Extremes>, step: number, { name, value }: MetricValue): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) return
  const known = extremes.get(name)
  if (!known) extremes.set(name, { least: { step, value }, greatest: { step, value } })
  else if (value > known.greatest.value) known.greatest = { step, value }
  else if (value < known.least.value) known.least = { step, value }
}

type Run = NonNullable<Series['not_finite'][string]>[number]

/** Finds the steps at which a metric is NaN or infinite: runs of steps with the same value, by metric. */
class NonFiniteRuns {
  readonly runs: Record<string, Run[]> = {}
  readonly #most: number

  /** @param most The most runs of a metric. */
  constructor(most: number) {
    this.#most = most
  }

  /** Call it for each step, in order. */
  add(step: number, metrics: Readonly<Record<string, unknown>>): void {
    for (const name in metrics) {
      const value = metrics[name]
      if (typeof value === 'number' && !Number.isFinite(value)) {
        this.#addTo(name, step, String(value) as Run['value'])
      }
    }
  }

  #addTo(name: string, step: number, value: Run['value']): void {
    const runs = (this.runs[name] ??= [])
    const latest = runs.at(-1)
    if (latest?.to === step - 1 && latest.value === value) latest.to = step
    else if (runs.length < this.#most) runs.push({ from: step, to: step, value })
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
