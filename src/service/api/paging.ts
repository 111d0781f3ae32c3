import type { Page } from '../contract/page.js'
import type { PageFault } from '../engine/faults/fault-plan.js'

/** A list in the requested order. */
export interface Listing<T> {
  readonly size: number
  /** The place after the item with that id. Undefined if there never was such an item. */
  placeAfter: (id: string) => number | undefined
  slice: (start: number, end: number) => T[]
}

export interface PageRequest {
  after: string | undefined
  limit: number
  /** The faults that change the page. */
  faults?: readonly PageFault[]
}

/**
 * One page in the service's envelope, or undefined if the cursor is unknown. Faults change which items
 * the page holds, or what it says about later ones.
 */
export function readPage<T extends { id: string }>(
  listing: Listing<T>,
  { after, limit: requested, faults = [] }: PageRequest,
): Page<T> | undefined {
  const place = after === undefined ? 0 : listing.placeAfter(after)
  if (place === undefined) return undefined
  const limit = faults.reduce((least, { most = Infinity }) => Math.min(least, most), requested)
  const { range: faulty } = faults.find(({ range }) => range) ?? {}
  const range = faulty ? faulty(place, limit) : { start: place, end: place + limit }
  if (!range) return undefined
  const { start, hasMore } = range
  const end = Math.min(range.end, listing.size)
  return toPage(listing.slice(start, end), hasMore ?? end < listing.size)
}

/** How many items the faults add after a page was read. */
export function arrivals(faults: readonly PageFault[]): number {
  return faults.reduce((sum, { arrivals: added = 0 }) => sum + added, 0)
}

function toPage<T extends { id: string }>(data: T[], has_more: boolean): Page<T> {
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? '',
    last_id: data.at(-1)?.id ?? '',
    has_more,
  }
}

/** The JSON of a page whose items are written already. */
export function pageJson({ data, ...envelope }: Page<{ id: string; json: string }>): string {
  const { object, first_id, last_id, has_more } = envelope
  let items = ''
  // Not `join`, which takes longer for texts that are sums themselves.
  for (const { json } of data) items += items === '' ? json : `,${json}`
  return `{"object":"${object}","data":[${items}],"first_id":"${first_id}","last_id":"${last_id}","has_more":${has_more}}`
}

/** The cursor of a request. An empty one counts as none, as with `if after:` in Python. */
export function cursorOf({ after }: { after?: string | undefined }): string | undefined {
  return after === '' ? undefined : after
}
