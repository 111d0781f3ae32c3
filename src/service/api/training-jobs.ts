import type { Infer } from '../contract/pydantic/schema.js'
import { apiErrors } from '../contract/errors.js'
import { pageOf, pageQuery } from '../contract/page.js'
import {
  createSftTrainingJob,
  createTrainingJob,
  trainingJobEventResponse,
  trainingJobPath,
  trainingJobResponse,
} from '../contract/training-job.js'
import { learnFromRewards } from '../engine/chat/policy.js'
import type { Conversation } from '../engine/chat/prompt.js'
import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import type { WrittenEvent } from '../engine/jobs/job-events.js'
import { savedSftJobs } from '../engine/jobs/saved-sft-jobs.js'
import { explainNothingToTrain, nothingToTrainHint } from '../engine/jobs/nothing-to-train.js'
import type { RequestEntry } from '../engine/journal.js'
import { counted } from '../../base/text/counted.js'
import { NotTextError } from '../../base/text/text-lines.js'
import { submitGroups, type TrainedGroups } from '../engine/jobs/overlong.js'
import { sftSubmission } from '../engine/jobs/submission.js'
import { assumedData, assumedExamples } from '../engine/jobs/assumed-data.js'
import {
  isArtifact,
  readTrainingData,
  Unavailable,
  unreadableData,
  type OpenTrainingData,
  type TrainingData,
} from '../engine/jobs/training-data.js'
import { findOddMessage } from './odd-message.js'
import { openArtifactRows } from '../engine/jobs/artifact-rows.js'
import { oddReference } from '../engine/jobs/reference-policy.js'
import { operation, type Call } from './operation.js'
import { WrittenReply } from './result.js'
import { findJob, findModel, mayName } from './ownership.js'
import { arrivals, cursorOf, pageJson, readPage, type Listing } from './paging.js'

export const createRlTrainingJob = operation({
  id: 'createRlTrainingJob',
  host: 'training',
  method: 'POST',
  path: '/v1/preview/training-jobs',
  name: 'Create_RL_Training_Job',
  tag: 'training-jobs',
  summary: 'Create Rl Training Job',
  auth: 'bearer',
  body: createTrainingJob,
  response: trainingJobResponse,
  refusals: [404],
  run(call) {
    const { engine, body } = call
    const model = findModel(call, body.model_id)
    if (!model) return apiErrors.modelNotFound()
    const reference = body.experimental_config?.kl_ref_adapter_path
    if (!mayName(call, reference)) return apiErrors.modelNotFound()
    const trained = submitGroups(engine, body.trajectory_groups, {
      config: body.experimental_config,
      baseModel: model.record.base_model,
    })
    return trained instanceof Promise
      ? trained.then((groups) => queueRlJob(call, groups))
      : queueRlJob(call, trained)
  },
})

type RlCall = Call<unknown, unknown, Infer<typeof createTrainingJob>>

function queueRlJob(call: RlCall, { groups: trained, submitted, dropped }: TrainedGroups) {
  const { engine, account, body, entry } = call
  // Looked up again: the model may have been deleted while tokens were counted.
  const model = findModel(call, body.model_id)
  if (!model) return apiErrors.modelNotFound()
  // Under the clock `instant`, the job makes its own checkpoint at once.
  const latest = model.checkpoints.latest?.step ?? 0
  const job = engine.training.create(model, {
    kind: 'rl',
    submitted,
    taught: engine.lessons.read(model, trained, body.experimental_config),
    author: account.user,
    cause: entry.id,
    failure: call.failJob(),
  })
  const { num_trajectories = 0 } = submitted.submission.metrics
  const trajectories = counted(num_trajectories ?? 0, 'trajectory', 'trajectories')
  const groups = counted(body.trajectory_groups.length, 'group')
  entry.effects.push(
    `queued RL job ${job.id} on ${model.record.name}: ${trajectories} in ${groups}`,
  )
  const trainedOn = engine.lineage.trained(
    { model, job, latest, config: body.experimental_config },
    body.trajectory_groups,
  )
  if (trainedOn !== undefined) entry.effects.push(`with ${trainedOn}`)
  if (submitted.withoutLogprobs !== undefined) entry.effects.push(submitted.withoutLogprobs)
  const reference = oddReference(engine, model, body.experimental_config)
  if (reference !== undefined) entry.hint = reference
  explainDropped(entry, {
    dropped: counted(dropped, 'trajectory', 'trajectories'),
    most: dropped > 0 ? engine.scenario.rl.most_tokens : undefined,
  })
  explainIfNothing(job, { why: submitted.nothingToTrain, engine, entry })
  if (engine.scenario.message_arrays === 'any') {
    const odd = findOddMessage(body.trajectory_groups)
    if (odd !== undefined) entry.effects.push(`accepted a message that is not documented: ${odd}`)
  }
  return job.record
}

/** Says in the journal how much of the data was too long. Without a limit, nothing was. */
function explainDropped(
  { effects }: RequestEntry,
  { dropped, most }: { dropped: string; most: number | undefined },
): void {
  if (most === undefined) return
  effects.push(`dropped ${dropped} with more than ${counted(most, 'token')}`)
}

/**
 * Explains in the journal why a job has nothing to train, so that users of one trajectory see it at once. A scenario
 * that trains such a job as usual needs no explanation, unless its chat rules learn from rewards.
 */
function explainIfNothing(
  { submission, rule }: Job,
  { why, engine, entry }: { why: string | undefined; engine: Engine; entry: RequestEntry },
): void {
  if (why === undefined) return
  const trainsAnyway = submission.nothingToTrain === undefined
  if (trainsAnyway && !learnFromRewards(engine.scenario.chat.rules)) return
  const counts = rule.timeline.map((step) =>
    step.event === 'gradient_step' ? (step.count ?? 0) : 0,
  )
  const scriptedSteps = counts.reduce((sum, count) => sum + count, 0)
  entry.effects.push(explainNothingToTrain(submission, { why, scriptedSteps }))
  entry.hint = nothingToTrainHint(why)
}

export const createSftJob = operation({
  id: 'createSftTrainingJob',
  host: 'training',
  method: 'POST',
  path: '/v1/preview/sft-training-jobs',
  name: 'Create_SFT_Training_Job',
  tag: 'training-jobs',
  summary: 'Create Sft Training Job',
  auth: 'bearer',
  body: createSftTrainingJob,
  response: trainingJobResponse,
  refusals: [404],
  async run(call) {
    const { engine, account, body, entry, openTrainingData } = call
    const wanted = findModel(call, body.model_id)
    if (!wanted) return apiErrors.modelNotFound()
    const { base_model: baseModel } = wanted.record
    const data = await loadData(body, call, { baseModel, open: openTrainingData })
    if (data instanceof Unavailable) return apiErrors.trainingDataUnavailable(data.reason)
    // Looked up again: the model may have been deleted while its data was read.
    const model = findModel(call, body.model_id)
    if (!model) return apiErrors.modelNotFound()
    const { assistant_turns: turns = 'all' } = body.config ?? {}
    // Worlds that were saved before have keys without a value, which is that of all turns.
    const parts = [body.model_id, body.training_data_url, data.digest]
    const same = JSON.stringify(turns === 'all' ? parts : [...parts, turns])
    const existing = engine.store.sftJobs.get(same)
    // After a failure, the same data starts another job.
    if (existing && existing.progress.status !== 'failed') {
      entry.effects.push(`found SFT job ${existing.id}: same model, same data`)
      return existing.record
    }
    const submitted = sftSubmission(data, body)
    const job = engine.training.create(model, {
      kind: 'sft',
      submitted,
      author: account.user,
      cause: entry.id,
      failure: call.failJob(),
    })
    engine.store.sftJobs.set(same, job)
    engine.changes.changed(savedSftJobs, same, job)
    const examples = counted(data.lines, 'example')
    const batches = counted(submitted.submission.sequences, 'batch', 'batches')
    entry.effects.push(
      `queued SFT job ${job.id} on ${model.record.name}: ${examples} in ${batches}`,
    )
    if (data.doubt !== undefined) entry.effects.push(data.doubt)
    explainDropped(entry, {
      dropped: counted(data.dropped, 'example'),
      most: data.dropped > 0 ? engine.scenario.sft.most_tokens : undefined,
    })
    return job.record
  },
})

type SftCall = Call<unknown, unknown, Infer<typeof createSftTrainingJob>>

const MADE_UP_ROWS =
  'the rows are made up, because this world has no artifacts: log the data as an artifact, or map the URL to a file with sft.files'

async function loadData(
  { training_data_url: url, config }: Infer<typeof createSftTrainingJob>,
  { engine, account, entry }: SftCall,
  { baseModel, open }: { baseModel: string; open: OpenTrainingData },
): Promise<TrainingData | Unavailable> {
  const { scenario, chat } = engine
  const { files, sequences, most_tokens: most } = scenario.sft
  const mapped = Object.hasOwn(files, url) ? files[url] : undefined
  const isInArtifact = mapped === undefined && isArtifact(url)
  if (isInArtifact && !engine.checkpointArtifacts.hasOthers) {
    entry.hint = MADE_UP_ROWS
    return assumedData(url, sequences ?? assumedExamples(config))
  }
  // A key may not learn which artifacts another entity has.
  const isForeign = isInArtifact && !mayName({ engine, account }, url)
  if (isForeign) return new Unavailable(`there is no artifact ${url}`)
  const opened = isInArtifact
    ? openArtifactRows(engine.platformWithCheckpoints(), url)
    : await open(mapped ?? url)
  if (opened instanceof Unavailable) return opened
  try {
    const turns = config?.assistant_turns
    if (most === undefined) return await readTrainingData(opened, { turns })
    const count = await chat.tokenCounter(baseModel)
    const isOverlong = (example: Conversation) => count(example, most) > most
    return await readTrainingData(opened, { turns, isOverlong })
  } catch (error) {
    if (error instanceof NotTextError) return unreadableData(url, error)
    // A disk or a remote server failed in the middle.
    return new Unavailable(`reading it broke off: ${(error as Error).message}`)
  }
}

export const getTrainingJob = operation({
  id: 'getTrainingJob',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/training-jobs/{training_job_id}',
  name: 'get_training_job',
  tag: 'training-jobs',
  summary: 'Get Training Job',
  auth: 'bearer',
  params: trainingJobPath,
  response: trainingJobResponse,
  run({ engine, account, params, entry }) {
    const job = findJob({ engine, account }, params.training_job_id)
    if (!job) return apiErrors.trainingJobNotFound()
    // A client that polls the record waits for progress, like one that lists events.
    engine.autoSkip.skipToNextEvent(job, `${account.key} record`)
    entry.jobView = { jobId: job.id, over: job.over }
    const { record } = job
    engine.training.wasRead(job)
    return record
  },
})

const listTrainingJobEvents = operation({
  id: 'listTrainingJobEvents',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/training-jobs/{training_job_id}/events',
  name: 'get_training_job_events',
  tag: 'training-jobs',
  summary: 'Get Training Job Events',
  auth: 'bearer',
  params: trainingJobPath,
  query: pageQuery,
  response: pageOf(trainingJobEventResponse),
  run({ engine, account, params, query, entry, pageFaults: faults }) {
    const job = findJob({ engine, account }, params.training_job_id)
    if (!job) return apiErrors.trainingJobNotFound()
    const after = cursorOf(query)
    const start = after === undefined ? 0 : placeAfter(job, after)
    if (start === undefined) return apiErrors.eventCursorNotFound(after!)
    const { key } = account
    const requested = (): number => Math.min(start + query.limit, job.events.count)
    engine.autoSkip.skipToNextPause(job, { key, upTo: requested() })
    const page = readPage(listingOf(job), { after, limit: query.limit, faults })
    if (!page) return apiErrors.eventCursorNotFound(after!)
    const shown = placesOf(job, page.data)
    // A fault may empty the page. Time goes on for a client that polls again.
    engine.autoSkip.markSeen(job, { key, upTo: shown?.[1] ?? requested() })
    entry.jobView = {
      jobId: job.id,
      from: start,
      over: job.over && !page.has_more,
      ...(shown && { shown }),
    }
    const answer = new WrittenReply(pageJson(page))
    for (let due = arrivals(faults); due > 0; due--) engine.training.moveNow(job)
    if (!page.has_more) engine.training.wasRead(job)
    return answer
  },
})

function listingOf(job: Job): Listing<WrittenEvent> {
  return {
    size: job.events.count,
    placeAfter: (id) => placeAfter(job, id),
    slice(start, end) {
      const events: WrittenEvent[] = []
      for (let index = start; index < end; index++) events.push(job.events.jsonAt(index))
      return events
    },
  }
}

/** The places of the events of a page. Undefined if it is empty. */
function placesOf({ events }: Job, [first, ...others]: readonly WrittenEvent[]) {
  const start = first && events.indexOf(first.id)
  return start === undefined ? undefined : ([start, start + 1 + others.length] as const)
}

function placeAfter(job: Job, id: string): number | undefined {
  const index = job.events.indexOf(id)
  return index === undefined ? undefined : index + 1
}

export const trainingJobOperations = [
  createRlTrainingJob,
  createSftJob,
  getTrainingJob,
  listTrainingJobEvents,
]
