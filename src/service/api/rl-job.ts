import type { Infer } from '../contract/pydantic/schema.js'
import { apiErrors } from '../contract/errors.js'
import { createTrainingJob, trainingJobResponse } from '../contract/training-job.js'
import { learnFromRewards } from '../engine/chat/policy.js'
import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import { explainNothingToTrain, nothingToTrainHint } from '../engine/jobs/nothing-to-train.js'
import { submitGroups, type TrainedGroups } from '../engine/jobs/overlong.js'
import { oddReference } from '../engine/jobs/reference-policy.js'
import type { RequestEntry } from '../engine/journal.js'
import { counted } from '../../base/text/counted.js'
import { explainDropped } from './dropped-data.js'
import { findOddMessage } from './odd-message.js'
import { operation, type Call } from './operation.js'
import { findModel, mayName } from './ownership.js'

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

function queueRlJob(call: RlCall, groups: TrainedGroups) {
  const { engine, account, body, entry } = call
  // Looked up again: the model may have been deleted while tokens were counted.
  const model = findModel(call, body.model_id)
  if (!model) return apiErrors.modelNotFound()
  // Under the clock `instant`, the job makes its own checkpoint at once.
  const latest = model.checkpoints.latest?.step ?? 0
  const job = engine.training.create(model, {
    kind: 'rl',
    submitted: groups.submitted,
    taught: engine.lessons.read(model, groups.groups, body.experimental_config),
    author: account.user,
    cause: entry.id,
    failure: call.failJob(),
  })
  const trainedOn = engine.lineage.trained(
    { model, job, latest, config: body.experimental_config },
    body.trajectory_groups,
  )
  recordRlJob(call, job, { groups, trainedOn })
  const reference = oddReference(engine, model, body.experimental_config)
  if (reference !== undefined) entry.hint = reference
  explainIfNothing(job, { why: groups.submitted.nothingToTrain, engine, entry })
  explainOddMessage(call)
  return job.record
}

/** Says in the journal what a job trains on. */
function recordRlJob(
  { engine, body, entry }: RlCall,
  { id, model }: Job,
  {
    groups: { submitted, dropped },
    trainedOn,
  }: { groups: TrainedGroups; trainedOn: string | undefined },
): void {
  const { num_trajectories } = submitted.submission.metrics
  const trajectories = counted(num_trajectories ?? 0, 'trajectory', 'trajectories')
  const groups = counted(body.trajectory_groups.length, 'group')
  entry.effects.push(`queued RL job ${id} on ${model.name}: ${trajectories} in ${groups}`)
  if (trainedOn !== undefined) entry.effects.push(`with ${trainedOn}`)
  if (submitted.withoutLogprobs !== undefined) entry.effects.push(submitted.withoutLogprobs)
  explainDropped(entry, {
    dropped: counted(dropped, 'trajectory', 'trajectories'),
    most: dropped > 0 ? engine.scenario.rl.most_tokens : undefined,
  })
}

function explainOddMessage({ engine, body, entry }: RlCall): void {
  if (engine.scenario.message_arrays !== 'any') return
  const odd = findOddMessage(body.trajectory_groups)
  if (odd !== undefined) entry.effects.push(`accepted a message that is not documented: ${odd}`)
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
