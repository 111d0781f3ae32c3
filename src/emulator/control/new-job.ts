import { ApiError, apiErrors } from '../../service/contract/errors.js'
import {
  assumedSubmission,
  rlSubmission,
  type SubmittedJob,
} from '../../service/engine/jobs/submission.js'
import type { JobKind, RlRules } from '../../service/scenario/scenario.js'
import type { Emulator } from '../emulator.js'
import { NO_MODEL, readGroups, surplusOf } from '../jobs.js'
import { findOrCreateModel, modelToCreate } from '../models.js'
import { jobState } from './job-state.js'
import { control } from './row.js'
import { job, jobRequest } from './schemas/jobs.js'

export const createJob = control({
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
    const rule = body.timeline ? (await emulator.checks.load()).timeline(body.timeline) : undefined
    const sent = groups && (await sentGroups(emulator, { kind, groups }))
    if (sent instanceof ApiError) return sent
    const cause = engine.journal.note(`control: a job on ${idOrName}`)
    const model = await findOrCreateModel(engine, idOrName, cause)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    const made = (): SubmittedJob =>
      kind === 'rl'
        ? invented(trajectories, engine.scenario.rl)
        : assumedSubmission(`control:///${trajectories}-lines`, trajectories)
    const submitted = sent ?? made()
    return jobState(emulator.jobs.create(model, { kind, submitted, rule, cause }), engine)
  },
})

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
