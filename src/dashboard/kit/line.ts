import type { Series } from '../../emulator/control/schemas/jobs.js'
import { counted, figure } from '../parts/amounts.js'

/** Steps at which a metric is NaN or infinite. */
export type NotFinite = Series['not_finite'][string][number]

/** The API writes numbers that JSON does not have as text. */
export function isNotFinite(value: unknown): value is NotFinite['value'] {
  return value === 'NaN' || value === 'Infinity' || value === '-Infinity'
}

/** A curve in a plot. */
export interface Line {
  /** `poet #3` */
  label: string
  /** The name of a CSS variable: `--accent`. */
  color: string
  /** Steps, ascending. */
  xs: readonly number[]
  ys: readonly (number | null)[]
  notFinite: readonly NotFinite[]
  /** How many of the first values stand for two steps each, because there are too many. Default: none. */
  thinned?: number
}

/** The latest value: a number, or the text `NaN` or `Infinity`. Null if there is none. */
export function lastOf({ xs, ys, notFinite }: Line): number | NotFinite['value'] | null {
  const at = ys.findLastIndex((y) => y !== null)
  const broken = notFinite.toSorted((one, other) => one.to - other.to).at(-1)
  if (broken && (at === -1 || broken.to >= xs[at]!)) return broken.value
  return ys[at] ?? null
}

/** The values at a step. Several if the step stands for others. Null: the latest value. */
export function valuesAt(line: Line, step: number | null): (number | NotFinite['value'])[] {
  if (step === null) return [lastOf(line)].filter((value) => value !== null)
  const y = line.ys[line.xs.indexOf(step)] ?? null
  const [first, last] = stepsAt(line, step)
  const broken = line.notFinite.filter(({ from, to }) => from <= last && first <= to)
  return [...(y === null ? [] : [y]), ...broken.map(({ value }) => value)]
}

/** The first and the last step that a step stands for. They differ if the line is thinned. */
export function stepsAt({ xs, thinned = 0 }: Line, step: number): [first: number, last: number] {
  const at = xs.indexOf(step)
  if (at === -1 || at >= thinned) return [step, step]
  const first = at - (at % 2)
  return [xs[first]!, xs[first + 1] ?? step]
}

/**
 * Says where values are not finite: `NaN at step 3, and 2 more times`.
 *
 * @param most - How many runs of such values it names.
 * @param last - The last step. What is so from a step to the last one is so since then.
 */
export function notFiniteText(runs: readonly NotFinite[], most: number, last = Infinity): string {
  const named = runs.toSorted((one, other) => one.from - other.from).slice(0, most)
  const more = runs.length - named.length
  const texts = named.map(({ value, from, to }) => {
    if (to >= last) return `${value} since step ${figure(from)}`
    return from === to
      ? `${value} at step ${figure(from)}`
      : `${value} at steps ${figure(from)} to ${figure(to)}`
  })
  return [...texts, ...(more > 0 ? [`and ${counted(more, 'more time')}`] : [])].join(', ')
}

/**
 * The exponential moving average of a curve, without the bias of its start. With weight 0.9, a value counts
 * 0.9 times as much as the one after it. Gaps stay gaps.
 */
export function smoothed(ys: readonly (number | null)[], weight: number): (number | null)[] {
  if (weight === 0) return [...ys]
  let sum = 0
  let debias = 0
  return ys.map((y) => {
    if (y === null) return null
    sum = weight * sum + (1 - weight) * y
    debias = weight * debias + (1 - weight)
    return sum / debias
  })
}

/** Lines as one table for a spreadsheet: a row for each step, a column for each line. */
export function csvOf(lines: readonly Line[]): string {
  const rows = new Map<number, string[]>()
  const cell = (step: number, column: number, text: string): void => {
    const row = rows.get(step) ?? lines.map(() => '')
    row[column] = text
    rows.set(step, row)
  }
  for (const [column, { xs, ys, notFinite }] of lines.entries()) {
    for (const [at, step] of xs.entries()) {
      const value = ys[at] ?? null
      if (value !== null) cell(step, column, String(value))
    }
    for (const { value, from, to } of notFinite) {
      for (const step of xs) if (from <= step && step <= to) cell(step, column, value)
    }
  }
  const header = ['step', ...lines.map(({ label }) => label)]
  const body = [...rows].sort(([a], [b]) => a - b).map(([step, cells]) => [String(step), ...cells])
  return [header, ...body].map((row) => `${row.map(quoted).join(',')}\r\n`).join('')
}

/**
 * What a spreadsheet reads as a formula: it begins with one of these characters, also in full width, after
 * white space and quotes. A number such as -1.5 is none.
 */
const FORMULA = /^[\s\p{C}"'‘’“”＂＇]*[=+\-@＝＋－＠−]|^[\t\r\n]/u
const NUMBER = /^-?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Infinity|NaN)$/

/** Quotes a cell if necessary. A spreadsheet must not run the name of a model as a formula. */
function quoted(text: string): string {
  const harmless = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
