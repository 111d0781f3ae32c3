import { groupsOf } from '../../base/text/counted.js'
import { usualMetrics } from '../../service/engine/jobs/metrics.js'
import type { JobKind } from '../../service/scenario/scenario.js'
import type { ScenarioPart } from './exchanges.js'
import type { SeenEvent } from './seen-job.js'

/** Figures of the submitted data, which the emulator computes from what a client submits. */
const FROM_DATA =
  /^(?:num_groups_submitted|num_groups_trainable|num_trajectories|num_trainable_tokens|num_tokens)$/

/** Names of metrics times steps. Each of them is looked at, also where a step has no value. */
const MOST_METRIC_VALUES = 5_000_000

/** Writes the metrics of steps as they are: numbers as lists, and everything else as spoiled. */
export function metricsOf(
  kind: JobKind,
  steps: readonly SeenEvent[],
): { part: ScenarioPart; notes: string[] } {
  const usual = usualMetrics[kind]
  const given = new Set(steps.flatMap(({ data }) => Object.keys(data)))
  if (given.size * steps.length > MOST_METRIC_VALUES) {
    const note = `its ${given.size} metrics in ${steps.length} steps are left out, because a scenario cannot be as long.`
    return { part: {}, notes: [note] }
  }
  const notes: string[] = []
  const metrics: Record<string, unknown> = {}
  const spoil: ScenarioPart[] = []
  for (const name of new Set([...Object.keys(usual), ...given])) {
    if (FROM_DATA.test(name) || (kind === 'sft' && name === 'gradient_step')) continue
    const values = steps.map(({ data }) => (Object.hasOwn(data, name) ? data[name] : undefined))
    const obstacle = obstacleOf(name, values)
    if (obstacle !== undefined) {
      notes.push(`the metric ${name} is left out: ${obstacle}.`)
      continue
    }
    const listed = listedNumbers(values)
    if (listed !== undefined && listed !== usual[name]) metrics[name] = listed
    for (const each of spoilsOf(name, values)) spoil.push(each)
  }
  const part = {
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(spoil.length > 0 && { spoil }),
  }
  return { part, notes }
}

/** Why a scenario cannot have a metric. Undefined if it can. */
function obstacleOf(name: string, values: readonly unknown[]): string | undefined {
  if (name === '__proto__') return 'its name is reserved'
  const isOther = (value: unknown): boolean => badValue(value) === undefined
  return values.some(isOther) ? 'it is not a number' : undefined
}

/** The steps at which a metric is no number, by what it is there. */
function spoilsOf(metric: string, values: readonly unknown[]): ScenarioPart[] {
  const bad = values.flatMap((value, index) => (Number.isFinite(value) ? [] : [index + 1]))
  const same = groupsOf(bad, (step) => values[step - 1])
  return [...same].map(([value, at]) => {
    return { at: at.length === 1 ? at[0] : at, metric, with: badValue(value) }
  })
}

/** What a scenario calls a value that is not a finite number. Undefined if it has no word for it. */
function badValue(value: unknown): unknown {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' ? { text: value } : undefined
}

/** Lists the numbers of a metric, or says the number that all steps have. Undefined if no step has one. */
function listedNumbers(values: readonly unknown[]): unknown {
  const numbers = values.map((value) => (Number.isFinite(value) ? (value as number) : undefined))
  // Where a step has none, the one before stands in, because something must.
  let before = numbers.find((value) => value !== undefined)
  const filled = numbers.map((value) => (before = value ?? before))
  while (filled.length > 1 && filled.at(-1) === filled.at(-2)) filled.pop()
  return filled.length > 1 ? { curve: 'list', values: filled } : filled[0]
}
