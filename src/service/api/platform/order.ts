import { numberIn } from '../../platform/run-row.js'
import type { QueryReading } from './query-reading.js'
import { compare, textOf } from './compare.js'

/** What the items of a list are ordered by. */
interface OrderKey {
  readonly path: string
  readonly direction: 1 | -1
}

/** Things that cannot be compared have other ranks: first what is missing or no number, then numbers, then texts. */
type Place = readonly [rank: 0 | 1 | 2, value: number | string]

/**
 * Orders the items of a list, by several paths if the order has commas: `+state,-created_at`. Those with the same values
 * are in the order of the list, and if the last path descends in the opposite one.
 */
export function ordered<Item>(
  items: readonly Item[],
  order: string,
  read: (item: Item, path: string) => unknown,
  reading: QueryReading,
): readonly Item[] {
  const keys = keysOf(order)
  reading.count(order.length + items.length * keys.length)
  if (keys.length === 0) return items
  const { direction: last } = keys.at(-1)!
  return items
    .map((item, index) => {
      const places = keys.map(({ path }) => placeOf(read(item, path), reading))
      return { item, index, places }
    })
    .sort((one, other) => {
      for (const [at, { direction }] of keys.entries()) {
        const found = compared(one.places[at]!, other.places[at]!)
        if (found !== 0) return direction * found
      }
      return last * (one.index - other.index)
    })
    .map(({ item }) => item)
}

function keysOf(order: string): OrderKey[] {
  return order.split(',').flatMap((written) => {
    const [, sign, path] = /^([+-]?)(.+)$/.exec(written.trim()) ?? []
    return path === undefined ? [] : [{ path, direction: sign === '-' ? -1 : 1 }]
  })
}

function placeOf(value: unknown, reading: QueryReading): Place {
  if (value === undefined || value === null) return [0, 0]
  const number = value instanceof Date ? value.getTime() : numberIn(value)
  if (number === undefined) return [2, textOf(value, reading)]
  return Number.isNaN(number) ? [0, 0] : [1, number]
}

function compared([rank, value]: Place, [otherRank, other]: Place): number {
  return compare(rank, otherRank) || compare(value, other)
}
