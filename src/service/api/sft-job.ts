import type { Infer } from '../contract/pydantic/schema.js'
import { apiErrors } from '../contract/errors.js'
import { createSftTrainingJob, trainingJobResponse } from '../contract/training-job.js'
import type { Conversation } from '../engine/chat/prompt.js'
import type { Job } from '../engine/jobs/job.js'
import { openArtifactRows } from '../engine/jobs/artifact-rows.js'
import { assumedData, assumedExamples } from '../engine/jobs/assumed-data.js'
import { savedSftJobs } from '../engine/jobs/saved-sft-jobs.js'
import { sftSubmission } from '../engine/jobs/submission.js'
import {
  isArtifact,
  readTrainingData,
  Unavailable,
  unreadableData,
  type OpenTrainingData,
  type TrainingData,
} from '../engine/jobs/training-data.js'
import type { ModelState } from '../engine/model.js'
import { counted } from '../../base/text/counted.js'
import { NotTextError } from '../../base/text/text-lines.js'
import { explainDropped } from './dropped-data.js'
import { operation, type Call } from './operation.js'
import { findModel, mayName } from './ownership.js'

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
    const { body, openTrainingData } = call
    const wanted = findModel(call, body.model_id)
    if (!wanted) return apiErrors.modelNotFound()
    const { base_model: baseModel } = wanted.record
    const data = await loadData(body, call, { baseModel, open: openTrainingData })
    if (data instanceof Unavailable) return apiErrors.trainingDataUnavailable(data.reason)
    // Looked up again: the model may have been deleted while its data was read.
    const model = findModel(call, body.model_id)
    if (!model) return apiErrors.modelNotFound()
    return queueSftJob(call, model, data)
  },
})

type SftCall = Call<unknown, unknown, Infer<typeof createSftTrainingJob>>

/** Queues a job, or finds the one that has the same model and the same data. */
function queueSftJob(call: SftCall, model: ModelState, data: TrainingData) {
  const { engine, account, body, entry } = call
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
  const batches = counted(submitted.submission.sequences, 'batch', 'batches')
  recordSftJob(call, { job, data, batches })
  return job.record
}

/** Says in the journal what a job trains on. */
function recordSftJob(
  { engine, entry }: SftCall,
  {
    job: { id, model },
    data: { lines, doubt, dropped },
    batches,
  }: { job: Job; data: TrainingData; batches: string },
): void {
  const examples = counted(lines, 'example')
  entry.effects.push(`queued SFT job ${id} on ${model.name}: ${examples} in ${batches}`)
  if (doubt !== undefined) entry.effects.push(doubt)
  explainDropped(entry, {
    dropped: counted(dropped, 'example'),
    most: dropped > 0 ? engine.scenario.sft.most_tokens : undefined,
  })
}

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
