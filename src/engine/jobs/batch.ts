import { finite } from '../../text/json-text.js'
import type { TrajectoryGroup } from '../../contract/trajectory.js'

/**
 * What was submitted with an RL job or a log call, as the figures that its metrics need. A figure is
 * null where JSON has no word for it: a client may send NaN, and a mean may overflow.
 */
export interface Batch {
  groups: number
  /** Groups whose rewards differ: only from those can a policy learn. */
  trainableGroups: number
  trajectories: number
  /** Mean over all trajectories; undefined where there are none. */
  reward: number | null | undefined
  /** Mean over the groups of the standard deviation within each. */
  rewardStdDev: number | null | undefined
  /** Mean of each metric over the trajectories that carry it; true counts as 1. */
  metrics: ReadonlyMap<string, number | null>
  /** Tokens of the assistant's turns: counted where they have logprobs, else estimated. */
  trainableTokens: number
}

/** Sums up trajectory groups. Errors: none; an empty list makes an empty batch. */
export function summarise(groups: readonly TrajectoryGroup[]): Batch {
  const rewards = new Mean()
  const deviations = new Mean()
  // Few trajectories carry any.
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

  /** Rounded to nine decimals, so that 0.1 + 0.2 over 2 reads 0.15. */
  get value(): number | null | undefined {
    if (this.count === 0) return undefined
    const mean = this.#sum / this.count
    // A large number has no such decimals, and would not survive the multiplication.
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

/** What an assistant message and a choice have in common, as far as counting tokens needs it. */
interface AssistantTurn {
  role?: string
  content?: unknown
  message?: { role?: string; content?: unknown }
  logprobs?: { content?: readonly unknown[] | null } | null
}
