import type { RunHistory } from '../../emulator/control/schemas/runs.js'
import { isNotFinite, type Line, type NotFinite } from '../kit/line.js'
import { compareMetricNames } from '../parts/metrics.js'

type Row = RunHistory['rows'][number]

/** The curve of each metric that a run logged as a number, the usual ones first. */
export function runLines(rows: readonly Row[]): Line[] {
  const steps = stepsOf(rows)
  const names = new Set(
    steps.flatMap(([, values]) => Object.keys(values).filter((name) => isNumber(values[name]))),
  )
  return [...names].sort(compareMetricNames).map((name) => lineOf(name, steps))
}

/** The rows by their steps, ascending. Rows of one step are one: the last value counts. */
function stepsOf(rows: readonly Row[]): [step: number, values: Row['values']][] {
  const steps = new Map<number, Row['values']>()
  for (const { step, values } of rows) steps.set(step, { ...steps.get(step), ...values })
  return [...steps].sort(([one], [other]) => one - other)
}

function lineOf(name: string, steps: readonly [number, Row['values']][]): Line {
  const xs: number[] = []
  const ys: (number | null)[] = []
  const notFinite: NotFinite[] = []
  for (const [step, values] of steps) {
    const value = values[name]
    if (!isNumber(value)) continue
    xs.push(step)
    ys.push(typeof value === 'number' ? value : null)
    if (typeof value === 'number') continue
    const last = notFinite.at(-1)
    if (last?.value === value && last.to === xs.at(-2)) last.to = step
    else notFinite.push({ value, from: step, to: step })
  }
  return { label: name, color: '--accent', xs, ys, notFinite }
}

function isNumber(value: unknown): value is number | NotFinite['value'] {
  return typeof value === 'number' || isNotFinite(value)
}
