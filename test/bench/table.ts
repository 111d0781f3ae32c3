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

/**
 * Creates a figure from the values of the rounds, with their ratios to `beside` in the same round.
 */
export function figureOf(
  values: readonly number[],
  unit: string,
  beside?: readonly number[],
): Figure {
  const value = median(values)
  if (!beside) return { value, unit }
  const ratios = values.map((each, round) => each / beside[round]!)
  return { value, unit, ratio: median(ratios), spread: spread(ratios) }
}

/**
 * Creates the figure of something else with what this tree did in the same rounds: above 1, this tree is faster or
 * takes less.
 */
export function shareOf(values: readonly number[], unit: string, ours: readonly number[]): Figure {
  const better = unit === '/s' ? figureOf(ours, unit, values) : figureOf(values, unit, ours)
  return { ...better, value: median(values) }
}

/**
 * Creates the rows of a table from the values of the rounds. Each row is compared with the one that it names in
 * `beside`. A row has no figure in a column without values.
 */
export function rowsBeside<One extends { name: string; beside: string }>(
  ones: readonly One[],
  unit: string,
  columns: readonly ((one: One) => readonly number[] | undefined)[],
): Row[] {
  return ones.map((one) => {
    const limit = ones.find(({ name }) => name === one.beside)!
    const figures = columns.map((valuesOf) => {
      const values = valuesOf(one)
      return values && figureOf(values, unit, one === limit ? undefined : valuesOf(limit))
    })
    return { name: one.name, figures }
  })
}

/** Joins tables with the same title, with all their columns side by side. */
export function joinTables(tables: readonly Table[]): Table[] {
  const joined = new Map<string, Table>()
  for (const table of tables) {
    const known = joined.get(table.title)
    joined.set(table.title, known ? join(known, table) : table)
  }
  return [...joined.values()]
}

function join(left: Table, right: Table): Table {
  const names = new Set([...left.rows, ...right.rows].map(({ name }) => name))
  const figuresIn = ({ rows, columns }: Table, name: string): Row['figures'] => {
    const none = columns.map(() => undefined)
    return rows.find((row) => row.name === name)?.figures ?? none
  }
  return {
    title: left.title,
    columns: [...left.columns, ...right.columns],
    rows: [...names].map((name) => ({
      name,
      figures: [...figuresIn(left, name), ...figuresIn(right, name)],
    })),
    notes: [...new Set([...left.notes, ...right.notes])],
  }
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
  const told = `${numeral(value, unit === '')} ${unit}`.trim()
  if (ratio === undefined || around === undefined) return told
  return `${numeral(ratio)} ± ${numeral(around)} (${told})`
}

function numeral(value: number, counted = false): string {
  // Three significant digits, and at most two decimals.
  const fitting = Math.max(0, Math.min(2, 2 - Math.floor(Math.log10(Math.abs(value) || 1))))
  const digits = counted ? 0 : fitting
  return value.toLocaleString('en-US', {
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  })
}
