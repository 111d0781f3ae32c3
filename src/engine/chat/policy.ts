import { curveAt } from '../jobs/curve.js'
import type { CheckpointTable } from '../jobs/checkpoints.js'
import type { Policy, Said } from '../../scenario/scenario.js'
import type { Draws } from './draws.js'

/** Draws the better or the worse answer, depending on the steps from which the policy learned. */
export function sayByPolicy(policy: Policy, learnt: number, draws: Draws): Said {
  const isBetter = draws.unit('policy') < chanceAt(policy, learnt)
  const said = isBetter ? policy.better : policy.worse
  return Array.isArray(said) ? draws.pick('variant', said) : said
}

/** The probability of the better answer after `learnt` steps that count. */
export function chanceAt({ chance, steps }: Policy, learnt: number): number {
  // Curves count from 1, checkpoints from 0, the untrained one.
  const step = Math.min(learnt, steps) + 1
  return curveAt(chance, { step, of: steps + 1, noise: { key: 0, index: step } })
}

/** The number of steps up to this one that count. */
export function learntAt(
  { learns_from }: Policy,
  step: number,
  checkpoints: CheckpointTable | undefined,
): number {
  if (learns_from === 'steps' || !checkpoints) return step
  return checkpoints.all.filter(({ step: at, metrics }) => {
    if (at === 0 || at > step) return false
    // If all rewards of a group are the same, no answer has an advantage over another.
    return (metrics.get('train/num_groups_trainable') ?? 1) > 0
  }).length
}
