import { finite } from '../../../base/text/non-finite.js'
import type { Trajectory, TrajectoryGroup } from '../../contract/trajectory.js'
import { TrainableCount } from './trainable.js'

/**
 * The figures of the trajectories that an RL job or a log call submits. A figure is null if it is not finite,
 * because a client sent NaN or a mean overflowed.
 */
export interface Batch {
  groups: number
  /** The number of groups whose rewards differ. A policy can learn only from these. */
  trainableGroups: number
  trajectories: number
  /** The number of trajectories of the largest group. */
  largestGroup: number
  /** The number of trajectories that the client failed to gather. */
  exceptions: number
  /** The share of trajectories that the client failed to gather. */
  exceptionRate: number
  /** The mean reward of all trajectories. Undefined without trajectories. */
  reward: number | null | undefined
  /** The standard deviation of rewards within a group, averaged over the groups. */
  rewardStdDev: number | null | undefined
  /** The mean of each metric over the trajectories that have it, by name. True counts as 1. */
  metrics: ReadonlyMap<string, number | null>
  /** The mean of each metric of groups over the groups that have it, by name. A group without trajectories has none. */
  groupMetrics: ReadonlyMap<string, number | null>
  trainable: TrainableCount
  /** Whether the rewards of some group differ. */
  rewardsDiffer: boolean
  /** The number of trajectories without those that only have answers that are not trained. */
  trainedTrajectories: number
}

/** Computes the figures of trajectory groups. */
export function summarize(
  groups: readonly TrajectoryGroup[],
  { needsLogprobs = false }: { needsLogprobs?: boolean } = {},
): Batch {
  const rewards = new Mean()
  const deviations = new Mean()
  const trainable = new TrainableCount(needsLogprobs)
  // Most trajectories and groups have no metrics.
  let metrics: Means | undefined
  let groupMetrics: Means | undefined
  let trainableGroups = 0
  let trainedTrajectories = 0
  let rewardsDiffer = false
  let largestGroup = 0
  let exceptions = 0
  for (const group of groups) {
    const { trajectories = [] } = group
    const groupRewards = trajectories.map(({ reward = 0 }) => reward)
    const deviation = standardDeviation(groupRewards)
    if (deviation !== undefined) deviations.add(deviation)
    const trained = trainGroup(trajectories, trainable)
    trainedTrajectories += trained.count
    largestGroup = Math.max(largestGroup, trajectories.length)
    exceptions += group.exceptions?.length ?? 0
    for (const trajectory of trajectories) {
      rewards.add(trajectory.reward ?? 0)
      if (trajectory.metrics) addTo((metrics ??= new Map()), trajectory.metrics)
    }
    if (hasVariance(groupRewards)) {
      rewardsDiffer = true
      if (trained.teaches) trainableGroups++
    }
    if (group.metrics && trajectories.length > 0) {
      addTo((groupMetrics ??= new Map()), group.metrics)
    }
  }
  const attempts = rewards.count + exceptions
  return {
    groups: groups.length,
    trainableGroups,
    trajectories: rewards.count,
    largestGroup,
    exceptions,
    exceptionRate: attempts === 0 ? 0 : exceptions / attempts,
    reward: rewards.value,
    rewardStdDev: deviations.value,
    metrics: metrics ? valuesOf(metrics) : NONE,
    groupMetrics: groupMetrics ? valuesOf(groupMetrics) : NONE,
    trainable,
    rewardsDiffer,
    trainedTrajectories,
  }
}

/**
 * Counts what the trajectories of a group contain. Returns how many are trained, and whether one of them differs from
 * the mean reward, which teaches nothing.
 */
function trainGroup(
  trajectories: readonly Trajectory[],
  trainable: TrainableCount,
): { count: number; teaches: boolean } {
  const mean = meanOf(trajectories.map(({ reward = 0 }) => reward))
  let count = 0
  let teaches = false
  for (const trajectory of trajectories) {
    const { answers, trained } = trainable
    trainable.add(trajectory)
    // What the service does with a trajectory without any answer is unknown.
    if (trainable.trained === trained && trainable.answers > answers) continue
    count++
    teaches ||= !areEqual(trajectory.reward ?? 0, mean)
  }
  return { count, teaches }
}

/** Rewards that differ by less are equal, as for the client's own trainer. See docs/explain/contract.md#jobs. */
const EQUAL_WITHIN = 1e-12

/** Whether the rewards of a group differ. NaN differs from every reward. */
export function hasVariance(rewards: readonly number[]): boolean {
  const first = rewards[0]!
  return rewards.some((reward, index) => index > 0 && !areEqual(reward, first))
}

function areEqual(one: number, other: number): boolean {
  return Math.abs(one - other) <= EQUAL_WITHIN
}

type Means = Map<string, Mean>

const NONE: ReadonlyMap<string, number | null> = new Map()

function addTo(means: Means, metrics: Readonly<Record<string, number | boolean>>): void {
  for (const [name, value] of Object.entries(metrics)) {
    let mean = means.get(name)
    if (!mean) means.set(name, (mean = new Mean()))
    mean.add(Number(value))
  }
}

function valuesOf(means: ReadonlyMap<string, Mean>): Map<string, number | null> {
  return new Map([...means].map(([name, mean]) => [name, mean.value!]))
}

class Mean {
  count = 0
  #sum = 0

  add(value: number): void {
    this.count++
    this.#sum += value
  }

  /** Rounded to nine decimals, so that (0.1 + 0.2) / 2 is 0.15. */
  get value(): number | null | undefined {
    if (this.count === 0) return undefined
    const mean = this.#sum / this.count
    // A large number has no decimals to round, and the multiplication would overflow.
    return finite(Math.abs(mean) < 2 ** 53 ? Math.round(mean * 1e9) / 1e9 : mean)
  }
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

export function standardDeviation(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const mean = meanOf(values)
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return Math.sqrt(variance)
}
