export type SortValue = number | string | null | undefined

/** By which column rows are sorted, as the address says it: `Step`, or `-Step` for the greatest first. Empty: by none. */
type Order = string

type Way = 'descending' | 'ascending'

/** The order after a click on a heading: the greatest first, then the least first, then as before. */
export function nextOrder(order: Order, heading: string): Order {
  const next = { descending: heading, ascending: '', none: `-${heading}` }
  return next[wayOf(order, heading) ?? 'none']
}

/** How an order sorts by a column. Undefined: not by this one. */
export function wayOf(order: Order, heading: string): Way | undefined {
  if (order === `-${heading}`) return 'descending'
  return order === heading ? 'ascending' : undefined
}

/** The rows by their values. Rows without a value are last. */
export function sortedBy<T>(
  rows: readonly T[],
  valueOf: (row: T) => SortValue,
  way: Way,
): readonly T[] {
  const direction = way === 'descending' ? -1 : 1
  return rows.toSorted((one, other) => {
    return compare(valueOf(one) ?? null, valueOf(other) ?? null, direction)
  })
}

/** Numbers are before texts, and what has no value is last, in both directions. */
function compare(a: number | string | null, b: number | string | null, direction: 1 | -1): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  if (typeof a === typeof b) return a < b ? -direction : direction
  return typeof a === 'number' ? -1 : 1
}
