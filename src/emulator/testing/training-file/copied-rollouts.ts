import type { Trajectory } from '../../../service/contract/trajectory.js'
import { lengthOf } from '../../../service/engine/lineage/content-key.js'
import type { ReadTrajectory } from '../../../service/engine/lineage/read-trajectory.js'
import { hashOfText } from '../../../service/engine/lineage/running-hash.js'

/** Two rollouts do not sample as many equal characters with the same log probabilities: those differ in their last digits. */
const LONG_SCORED_ANSWERS = 40

/** The hash of all of a trajectory but what is said about it afterwards. */
export function hashOfRollout(trajectory: Trajectory): number {
  const said = { reward: undefined, metrics: undefined, logs: undefined }
  return hashOfText(JSON.stringify({ ...trajectory, ...said }))
}

/**
 * Whether a trajectory that has the same as another one, log probabilities included, was sampled only once. Short
 * answers may be equal by chance. Two rewards for the same within a group are a contradiction, whatever its length.
 */
export function isCopy({ answers }: ReadTrajectory, isContradicted: boolean): boolean {
  if (!isContradicted && lengthOf(answers) < LONG_SCORED_ANSWERS) return false
  return answers.some((each) => !each.isPlain && each.text !== '' && each.hasLogprobs())
}
