import { finite } from '../../text/json-text.js'
import type { TrajectoryGroup } from '../../contract/trajectory.js'

/**
 * The figures of the trajectories that an RL job or a log call submits. A figure is null if it is not
 * finite: a client may send NaN, and a mean may overflow.
 */
export interface Batch {
  groups: number
  /** Groups whose rewards differ. A policy can learn only from those. */
  trainableGroups: number
  trajectories: number
  /** The mean over all trajectories. Undefined without trajectories. */
  reward: number | null | undefined
  /** The mean of the standard deviations within the groups. */
  rewardStdDev: number | null | undefined
  /** The mean of each metric over the trajectories that have it. True counts as 1. */
  metrics: ReadonlyMap<string, number | null>
  /** The tokens of the assistant's turns: counted if they have logprobs, else estimated. */
  trainableTokens: number
}

/** Sums up trajectory groups. An empty list makes an empty batch. */
export function summarize(groups: readonly TrajectoryGroup[]): Batch {
  const rewards = new Mean()
  const deviations = new Mean()
  // Most trajectories have none.
  let metrics: Map<string, Mean> | undefined
  let trainableGroups = 0
  let trainableTokens = 0
  for (const { trajectories = [] } of groups) {
    const ofGroup = trajectories.map(({ reward = 0 }) => reward)
    const deviation = standardDeviation(ofGroup)
    if (deviation !== undefined) deviations.add(deviation)
    if (deviation) trainableGroups++
    for (const trajectory of trajectories) {
      rewards.add(trajectory.reward ?? 0)
      trainableTokens += tokensIn(trajectory.messages_and_choices ?? [])
      if (trajectory.metrics) addTo((metrics ??= new Map()), trajectory.metrics)
    }
  }
  return {
    groups: groups.length,
    trainableGroups,
    trajectories: rewards.count,
    reward: rewards.value,
    rewardStdDev: deviations.value,
    metrics: metrics ? valuesOf(metrics) : NONE,
    trainableTokens,
  }
}

const NONE: ReadonlyMap<string, number | null> = new Map()

function addTo(
  means: Map<string, Mean>,
  metrics: Readonly<Record<string, number | boolean>>,
): void {
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
    // A large number has no such decimals, and the multiplication would overflow.
    return finite(Math.abs(mean) < 2 ** 53 ? Math.round(mean * 1e9) / 1e9 : mean)
  }
}

function standardDeviation(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return Math.sqrt(variance)
}

const CHARACTERS_PER_TOKEN = 4

function tokensIn(items: readonly unknown[]): number {
  let tokens = 0
  for (const item of items as readonly AssistantTurn[]) {
    const counted = item.logprobs?.content?.length
    if (counted !== undefined) {
      tokens += counted
      continue
    }
    const message = item.message ?? item
    if (message.role === 'assistant' && typeof message.content === 'string') {
      tokens += Math.ceil(message.content.length / CHARACTERS_PER_TOKEN)
    }
  }
  return tokens
}

/** The fields of an assistant message and of a choice that counting tokens needs. */
interface AssistantTurn {
  role?: string
  content?: unknown
  message?: { role?: string; content?: unknown }
  logprobs?: { content?: readonly unknown[] | null } | null
}
