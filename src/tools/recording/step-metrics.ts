import { usualMetrics } from '../../service/engine/jobs/metrics.js'
import type { JobKind } from '../../service/scenario/scenario.js'
import { textIn, type ScenarioPart } from './exchanges.js'
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
  notes: string[],
): ScenarioPart {
  const usual = usualMetrics[kind]
  const given = new Set(steps.flatMap(({ data }) => Object.keys(data)))
  if (given.size * steps.length > MOST_METRIC_VALUES) {
    notes.push(
      `its ${given.size} metrics in ${steps.length} steps are left out, because a scenario cannot be as long.`,
    )
    return {}
  }
  const metrics: Record<string, unknown> = {}
  const spoiled = new Map<string, { at: number[]; metric: string; with: unknown }>()
  for (const name of new Set([...Object.keys(usual), ...given])) {
    if (FROM_DATA.test(name) || (kind === 'sft' && name === 'gradient_step')) continue
    const values = steps.map(({ data }) => data[name])
    if (values.some((value) => typeof value === 'object' && value !== null)) {
      notes.push(`the metric ${name} is left out: it is not a number.`)
      continue
    }
    const listed = listedNumbers(values)
    if (listed !== undefined && listed !== usual[name]) metrics[name] = listed
    for (const [index, value] of values.entries()) {
      if (Number.isFinite(value)) continue
      const bad = badValue(value)
      const key = JSON.stringify([name, bad])
      const same = spoiled.get(key) ?? { at: [], metric: name, with: bad }
      same.at.push(index + 1)
      spoiled.set(key, same)
    }
  }
  return {
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(spoiled.size > 0 && { spoil: [...spoiled.values()].map(spoilPart) }),
  }
}

function spoilPart({ at, ...rest }: { at: number[]; metric: string; with: unknown }): ScenarioPart {
  return { at: at.length === 1 ? at[0] : at, ...rest }
}

/** What a scenario calls a value that is not a number. */
function badValue(value: unknown): unknown {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return typeof value === 'number'
    ? String(value)
    : { text: textIn(value) ?? JSON.stringify(value) }
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
