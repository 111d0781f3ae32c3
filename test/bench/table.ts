import { median, spread } from './statistics.js'

/** The content of a cell. */
export interface Figure {
  /** The median of the rounds. */
  value: number
  unit: string
  /** The median ratio to the row that this row is compared with. */
  ratio?: number
  /** Half of the ratios are within this distance of the median. */
  spread?: number
}

export interface Row {
  name: string
  /** One figure per column. Undefined if the row does not have it. */
  figures: (Figure | undefined)[]
}

export interface Table {
  title: string
  columns: string[]
  rows: Row[]
  /** Explanations of the columns. */
  notes: string[]
}

/** What is measured of each row of a table. */
export interface Column<One> {
  name: string
  unit: string
  /** The values of the rounds. A row without them has no figure. */
  valuesOf: (one: One) => readonly number[] | undefined
  /** The ratio of a value to that of the other row. Default: it divides them. */
  ratioOf?: ((value: number, beside: number) => number) | undefined
}

/** Creates a table. Each row is compared with another one in the same rounds. Default: with the first. */
export function tableOf<One extends { name: string }>(
  title: string,
  ones: readonly One[],
  columns: readonly Column<One>[],
  {
    notes = [],
    besideOf = () => ones[0]!,
  }: { notes?: string[]; besideOf?: (one: One) => One | undefined } = {},
): Table {
  const figureIn = (one: One, column: Column<One>): Figure | undefined => {
    const values = column.valuesOf(one)
    const other = besideOf(one)
    const beside = other === undefined || other === one ? undefined : column.valuesOf(other)
    return values && figureOf(values, column.unit, beside, column.ratioOf)
  }
  return {
    title,
    columns: columns.map(({ name }) => name),
    rows: ones.map((one) => ({
      name: one.name,
      figures: columns.map((column) => figureIn(one, column)),
    })),
    notes,
  }
}

/**
 * Creates a figure from the values of the rounds, with their ratios to `beside` in the same round.
 */
export function figureOf(
  values: readonly number[],
  unit: string,
  beside?: readonly number[],
  ratioOf: Column<unknown>['ratioOf'] = (value, other) => value / other,
): Figure {
  const value = median(values)
  if (!beside) return { value, unit }
  const ratios = values.map((each, round) => ratioOf(each, beside[round]!))
  return { value, unit, ratio: median(ratios), spread: spread(ratios) }
}

export function markdownOf({ title, columns, rows, notes }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    `### ${title}`,
    '',
    line(['', ...columns]),
    line(['---', ...columns.map(() => '---:')]),
    ...rows.map(({ name, figures }) => line([name, ...figures.map(textOf)])),
    '',
    ...notes.flatMap((note) => [note, '']),
  ].join('\n')
}

function textOf(figure: Figure | undefined): string {
  if (!figure) return '–'
  const { value, unit, ratio, spread: around } = figure
  const told = `${numeral(value)} ${unit}`.trim()
  if (ratio === undefined || around === undefined) return told
  return `${numeral(ratio)} ± ${numeral(around)} (${told})`
}

function numeral(value: number): string {
  // Three significant digits, and at most two decimals.
  const digits = Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(Math.abs(value) || 1))))
  return value.toLocaleString('en-US', {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  })
}
