import { counted } from '../../../base/text/counted.js'
import type { Batch } from './batch.js'

/**
 * Returns why a batch has nothing to train on. Undefined if it has a group whose rewards differ. The conditions are
 * those of the client's own trainer: see docs/explain/contract.md#jobs.
 */
export function findNothingToTrain({
  trainableGroups,
  trajectories,
  largestGroup,
  exceptions,
}: Batch): string | undefined {
  if (trainableGroups > 0) return undefined
  if (trajectories === 0) {
    const failed = exceptions === 0 ? '' : `, only ${counted(exceptions, 'exception')}`
    return `the batch has no trajectories${failed}`
  }
  if (largestGroup === 1) return 'no group has more than one trajectory'
  return 'all trajectories of the same group have the same reward'
}

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
export const NOTHING_TO_TRAIN_HINT =
  'a group trains if it has at least two trajectories with different rewards; rl.nothing_to_train of the scenario changes what the job does'
