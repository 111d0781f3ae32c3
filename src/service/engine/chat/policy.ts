import { curveAt } from '../jobs/curve.js'
import { trainMetric, type CheckpointTable } from '../jobs/checkpoints.js'
import { TRAINABLE_GROUPS } from '../jobs/submission.js'
import type { ChatRule, Policy, Reply } from '../../scenario/scenario.js'
import type { Draws } from './draws.js'

/** Draws the better or the worse answer. The chance depends on the number of steps that count. */
export function replyByPolicy(policy: Policy, learnedSteps: number, draws: Draws): Reply {
  const isBetter = draws.unit('policy') < chanceAt(policy, learnedSteps)
  const reply = isBetter ? policy.better : policy.worse
  return Array.isArray(reply) ? draws.pick('variant', reply) : reply
}

/** Returns the probability of a curve, such as that of the better answer, after that number of steps that count. */
export function chanceAt(
  { chance, steps }: Pick<Policy, 'chance' | 'steps'>,
  learnedSteps: number,
): number {
  // Curves count steps from 1, and checkpoints from 0, which is the untrained one.
  const step = Math.min(learnedSteps, steps) + 1
  return curveAt(chance, { step, of: steps + 1, noise: { key: 0, index: step } })
}

/** Whether the answers of some rule depend on the rewards of training steps. */
export function learnFromRewards(rules: readonly ChatRule[]): boolean {
  return rules.some(({ learner, policy }) => {
    return learner !== undefined || policy?.learns_from === 'rewards'
  })
}

/** Returns the number of steps up to `step` that count. */
export function learnedStepsAt(
  { learns_from }: Policy,
  step: number,
  checkpoints: CheckpointTable | undefined,
): number {
  if (learns_from === 'steps' || !checkpoints) return step
  return checkpoints.all.filter(({ step: at, metrics }) => {
    if (at === 0 || at > step) return false
    // If all rewards of a group are the same, no answer is better than another.
    return (metrics.get(trainMetric(TRAINABLE_GROUPS)) ?? 1) > 0
  }).length
}
