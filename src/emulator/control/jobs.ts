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
} from './schemas/jobs.js'
import type { Accepts } from './schemas/body-and-query.js'
import { ApiError, apiErrors } from '../../service/contract/errors.js'
import type { Schema } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { ModelState } from '../../service/engine/model.js'
import {
  assumedSubmission,
  rlSubmission,
  type SubmittedJob,
} from '../../service/engine/jobs/submission.js'
import type { JobKind, JobRule, RlRules } from '../../service/scenario/scenario.js'
import type { Emulator } from '../emulator.js'
import { NO_MODEL, readGroups, surplusOf } from '../jobs.js'
import { orRefusal } from './or-refusal.js'
import { findOrCreateModel, modelByIdOrName, modelToCreate } from '../models.js'
import { eventState, matchingJobs, jobState } from './job-state.js'
import { noModel } from './models.js'
import { whyWaiting } from '../testing/waiting.js'
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
    modelToCreate.check({ name: idOrName })
    const rule = await ruleOf(emulator, body.timeline)
    if (rule instanceof ApiError) return rule
    const sent = groups && (await sentGroups(emulator, { kind, groups }))
    if (sent instanceof ApiError) return sent
    const cause = engine.journal.note(`control: a job on ${idOrName}`)
    const model = await findOrCreateModel(engine, idOrName, cause)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    const made = (): SubmittedJob =>
      kind === 'rl'
        ? invented(trajectories, engine.scenario.rl)
        : assumedSubmission(model.record.id, `control:///${trajectories}-lines`, trajectories)
    const submitted = sent ?? made()
    return jobState(emulator.jobs.create(model, { kind, submitted, rule, cause }), engine)
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
  const surplus = surplusOf(kind, { trajectory_groups: groups })
  if (surplus) return new ApiError(400, surplus.text)
  const read = await readGroups(emulator, { model_id: NO_MODEL, trajectory_groups: groups })
  if ('submitted' in read) return read.submitted
  return new ApiError(400, ['The trajectories cannot be used:', ...read.problems].join('\n  '))
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

const readJob = control({
  id: 'readJob',
  method: 'GET',
  path: '/_emulator/jobs/{job_id}',
  summary: 'One job with all its details',
  params: jobPath,
  response: job,
  run({ engine, params }) {
    return jobState(engine.store.jobs.get(params.job_id)!, engine)
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
    const found = engine.store.jobs.get(params.job_id)!
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
  run({ engine, params, query }) {
    return seriesOf(engine.store.jobs.get(params.job_id)!, query.points)
  },
})

interface Act<Id, Verb, Body, SentBody> {
  id: Id
  verb: Verb
  summary: string
  /** Default: the row takes no body. */
  body?: Schema<Body> & Accepts<SentBody>
  /** Returns why the action is not possible now; undefined if it is. */
  hindrance?: (job: Job, engine: Engine) => string | undefined
  perform: (emulator: Emulator, on: { model: ModelState; job: Job; body: Body }) => void
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
    run({ emulator, engine, params, body }) {
      const found = engine.store.jobs.get(params.job_id)!
      const model = engine.store.model(found.model.id)
      const hindered = found.over ? `has ${found.progress.status}` : hindrance?.(found, engine)
      const why = model ? hindered : 'has no model any more'
      if (why !== undefined || !model) {
        return new ApiError(409, `Failed to ${verb} job ${found.id}: it ${why}.`)
      }
      engine.journal.note(`control: ${verb} job ${found.id.slice(0, 8)}`, found.cause)
      perform(emulator, { model, job: found, body })
      return jobState(found, engine)
    },
  })
}

const acts = [
  actRow({
    id: 'failJob',
    verb: 'fail',
    summary: 'Ends a job now as a failure, with your message',
    body: failRequest,
    perform: ({ jobs: all }, { job: { id }, body }) => all.fail(id, body.error_message),
  }),
  actRow({
    id: 'finishJob',
    verb: 'finish',
    summary: 'Ends a job now with success: its remaining steps happen at once',
    perform: ({ jobs: all }, { job: { id } }) => all.finish(id),
  }),
  actRow({
    id: 'stallJob',
    verb: 'stall',
    summary: 'Stops a job until you resume it',
    hindrance: ({ progress }) => (progress.stalled ? 'is stalled already' : undefined),
    perform: ({ engine }, { job: found }) => engine.training.stall(found),
  }),
  actRow({
    id: 'resumeJob',
    verb: 'resume',
    summary: 'Continues a stalled job from where it stopped',
    hindrance(found, engine) {
      if (found.progress.stalled) return undefined
      return ['is not stalled', whyWaiting(engine, found)].filter(Boolean).join(', and ')
    },
    perform: ({ engine }, { model, job: found }) => engine.training.resume(model, found),
  }),
]

export const jobOperations = [listJobs, createJob, readJob, listJobEvents, readJobMetrics, ...acts]
