import { curveAt } from '../jobs/curve.js'
import type { CheckpointTable } from '../jobs/checkpoints.js'
import type { Policy, Said } from '../../scenario/scenario.js'
import type { Draws } from './draws.js'

/** The better or the worse answer, by what the policy has learnt at that step. */
export function sayByPolicy(policy: Policy, learnt: number, draws: Draws): Said {
  const isBetter = draws.unit('policy') < chanceAt(policy, learnt)
  const said = isBetter ? policy.better : policy.worse
  return Array.isArray(said) ? draws.pick('variant', said) : said
}

/** Of the better answer, after so many steps from which something was learnt. */
export function chanceAt({ chance, steps }: Policy, learnt: number): number {
  // A curve counts from 1, a checkpoint from 0: the untrained one.
  const step = Math.min(learnt, steps) + 1
  return curveAt(chance, { step, of: steps + 1, noise: { key: 0, index: step } })
}

/** How many steps up to this one count. */
export function learntAt(
  { learns_from }: Policy,
  step: number,
  checkpoints: CheckpointTable | undefined,
): number {
  if (learns_from === 'steps' || !checkpoints) return step
  return checkpoints.all.filter(({ step: at, metrics }) => {
    if (at === 0 || at > step) return false
    // Where all rewards of a group are the same, no answer has an advantage over another.
    return (metrics.get('train/num_groups_trainable') ?? 1) > 0
  }).length
}
