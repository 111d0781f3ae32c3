import type { SftTrainingConfig } from '../contract/training-job.js'
import type { TrajectoryGroup } from '../contract/trajectory.js'
import { summarise } from './batch.js'
import type { Submission } from './script.js'
import type { TrainingData } from './training-data.js'

/** An RL job's part in its own figures: rewards and counts come from the trajectories submitted. */
export function rlSubmission(
  groups: readonly TrajectoryGroup[],
  learningRate: number | null | undefined,
): Submission {
  const batch = summarise(groups)
  const metrics: Record<string, number> = {}
  if (batch.reward !== undefined) metrics.reward = batch.reward
  if (batch.rewardStdDev !== undefined) metrics.reward_std_dev = batch.rewardStdDev
  metrics.num_groups_submitted = batch.groups
  metrics.num_groups_trainable = batch.trainableGroups
  metrics.num_trajectories = batch.trajectories
  metrics.num_trainable_tokens = batch.trainableTokens
  return { sequences: batch.trajectories, learningRate: learningRate ?? undefined, metrics }
}

/** An SFT job's: one sequence a batch, `auto` being batches of one (design, "number of steps"). */
export function sftSubmission(data: TrainingData, config: SftTrainingConfig): Submission {
  const { batch_size, learning_rate } = config
  const batch = typeof batch_size === 'number' ? Math.max(1, batch_size) : 1
  const sequences = Math.ceil(data.lines / batch)
  const share = (tokens: number): number => Math.round(tokens / Math.max(1, sequences))
  return {
    sequences,
    // A schedule of no rates is none.
    learningRate:
      Array.isArray(learning_rate) && learning_rate.length === 0
        ? undefined
        : (learning_rate ?? undefined),
    flaw: data.flaw,
    metrics: { num_tokens: share(data.tokens), num_trainable_tokens: share(data.trainableTokens) },
  }
}
