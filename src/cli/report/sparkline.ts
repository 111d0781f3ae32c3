const BLOCKS = '▁▂▃▄▅▆▇█'
/** For values that are all the same. */
const LEVEL = BLOCKS[3]!
const NOT_FINITE = '×'
const NOT_A_NUMBER = '·'
const WIDEST = 60

/** Draws values as a line of blocks. Values that are not finite numbers have their own marks. */
export function sparkline(values: readonly unknown[], widest = WIDEST): string {
  const columns = resampled(values, widest)
  const finite = columns.filter((column) => typeof column === 'number')
  const lowest = Math.min(...finite)
  const highest = Math.max(...finite)
  return columns
    .map((column) => {
      if (typeof column === 'string') return column
      if (isLevel(lowest, highest)) return LEVEL
      // Halved, because the whole span may be larger than the largest number.
      const share = (column / 2 - lowest / 2) / (highest / 2 - lowest / 2)
      return BLOCKS[Math.min(BLOCKS.length - 1, Math.floor(share * BLOCKS.length))]!
    })
    .join('')
}

/** Means of equal values differ in their last digits. */
const SMALLEST_SPAN = 1e-12

function isLevel(lowest: number, highest: number): boolean {
  return highest / 2 - lowest / 2 <= SMALLEST_SPAN * Math.max(Math.abs(lowest), Math.abs(highest))
}

function resampled(values: readonly unknown[], widest: number): (number | string)[] {
  const width = Math.min(values.length, widest)
  return Array.from({ length: width }, (_, column) => {
    const start = Math.floor((column * values.length) / width)
    const end = Math.floor(((column + 1) * values.length) / width)
    return columnOf(values.slice(start, end))
  })
}

/** Returns the mean, or a mark if any value is not a finite number. */
function columnOf(values: readonly unknown[]): number | string {
  const numbers = values.filter((value) => typeof value === 'number')
  if (numbers.some((value) => !Number.isFinite(value))) return NOT_FINITE
  if (numbers.length < values.length) return NOT_A_NUMBER
  return numbers.reduce((sum, value) => sum + value / numbers.length, 0)
}
