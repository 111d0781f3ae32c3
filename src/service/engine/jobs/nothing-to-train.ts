import { counted } from '../../../base/text/counted.js'
import type { Batch } from './batch.js'
import { needsLogprobs, type RlConfig } from './rl-config.js'
import type { TrainableCount } from './trainable.js'

/**
 * Returns why a batch has nothing to train on. Undefined if it has a group whose rewards differ. The conditions are
 * those of the client's own trainer: see docs/explain/contract.md#jobs.
 */
export function findNothingToTrain({
  trainableGroups,
  trajectories,
  largestGroup,
  exceptions,
  rewardsDiffer,
  trainedTrajectories,
}: Batch): string | undefined {
  if (trainableGroups > 0) return undefined
  if (trajectories === 0) {
    const failed = exceptions === 0 ? '' : `, only ${counted(exceptions, 'exception')}`
    return `the batch has no trajectories${failed}`
  }
  if (trainedTrajectories === 0) return NO_LOGPROBS
  if (largestGroup === 1) return 'no group has more than one trajectory'
  return rewardsDiffer ? DIFFERENT_WITHOUT_LOGPROBS : SAME_REWARDS
}

/** Says in the journal what a job does with answers without log probabilities. Undefined if all have them. */
export function explainWithoutLogprobs(
  { answers, withLogprobs }: TrainableCount,
  config: RlConfig,
): string | undefined {
  const without = answers - withLogprobs
  const isStrict = needsLogprobs(config)
  if (without === 0 || isStrict === false) return undefined
  const all = without === answers ? '' : `${without} of `
  const which = `${all}${counted(answers, 'answer')} without log probabilities`
  return isStrict
    ? `skips ${which}: allow_training_without_logprobs is false`
    : `trains ${which}, which the service may skip`
}

const NO_LOGPROBS = 'no answer has log probabilities, and allow_training_without_logprobs is false'
const SAME_REWARDS = 'all trajectories of the same group have the same reward'
const DIFFERENT_WITHOUT_LOGPROBS =
  'no group whose rewards differ has an answer with log probabilities to learn from'

/**
 * Says in the journal what a job without anything to train on does, and why. Without `nothingToTrain`, the scenario
 * trains it as usual.
 */
export function explainNothingToTrain(
  { flaw, nothingToTrain }: { flaw?: string | undefined; nothingToTrain?: string | undefined },
  { why, scriptedSteps }: { why: string; scriptedSteps: number },
): string {
  if (nothingToTrain === undefined) {
    return `nothing to train: ${why}, so the model learns nothing from the job`
  }
  const steps =
    scriptedSteps === 0 ? 'no gradient steps' : 'only gradient steps that the scenario counts'
  const consequence = flaw === undefined ? `takes ${steps}` : 'fails'
  return `nothing to train: ${why}, so the job ${consequence}`
}

/** What a newcomer can do about it. */
export function nothingToTrainHint(why: string): string {
  return why === NO_LOGPROBS || why === DIFFERENT_WITHOUT_LOGPROBS ? LOGPROBS_HINT : REWARDS_HINT
}

/** Whether other rewards of the same trajectories could have trained something. */
export function isAboutRewards(why: string): boolean {
  return why === SAME_REWARDS || why === DIFFERENT_WITHOUT_LOGPROBS
}

const LOGPROBS_HINT =
  'ask chats with logprobs: true, and submit the whole choice, not only its message; rl.nothing_to_train of the scenario changes what the job does'

const REWARDS_HINT =
  'a group trains if it has at least two trajectories with different rewards; rl.nothing_to_train of the scenario changes what the job does'
