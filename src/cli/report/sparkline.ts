const BLOCKS = '▁▂▃▄▅▆▇█'
/** A course that does not move has no highest and lowest. */
const LEVEL = BLOCKS[3]!
const NOT_FINITE = '×'
const NOT_A_NUMBER = '·'
const WIDEST = 60

/** A course of values as a line of blocks; what is no finite number is shown as such. */
export function sparkline(values: readonly unknown[], widest = WIDEST): string {
  const columns = resampled(values, widest)
  const finite = columns.filter((column) => typeof column === 'number')
  const lowest = Math.min(...finite)
  const highest = Math.max(...finite)
  return columns
    .map((column) => {
      if (typeof column === 'string') return column
      if (highest === lowest) return LEVEL
      // Halved, for the whole span may be more than a number can say.
      const share = (column / 2 - lowest / 2) / (highest / 2 - lowest / 2)
      return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))]!
    })
    .join('')
}

function resampled(values: readonly unknown[], widest: number): (number | string)[] {
  const width = Math.min(values.length, widest)
  return Array.from({ length: width }, (_, column) => {
    const start = Math.floor((column * values.length) / width)
    const end = Math.floor(((column + 1) * values.length) / width)
    return columnOf(values.slice(start, end))
  })
}

/** The mean; but one value that is none must not vanish among many that are. */
function columnOf(values: readonly unknown[]): number | string {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.some((value) => !Number.isFinite(value))) return NOT_FINITE
  if (numbers.length < values.length) return NOT_A_NUMBER
  return numbers.reduce((sum, value) => sum + value / numbers.length, 0)
}
