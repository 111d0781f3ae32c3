import type { NotFinite } from './curves.js'

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
