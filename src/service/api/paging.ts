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
  const limit = faults.reduce(
    (least, fault) => (fault.fault === 'page_limit' ? Math.min(least, fault.limit) : least),
    requested,
  )
  const fault = faults.find(({ fault: kind }) => {
    // The first page has no cursor for a fault of the cursor.
    return kind === 'page_empty' || (after !== undefined && cursorFaults.has(kind))
  })
  switch (fault?.fault) {
    case 'page_stale':
      return undefined
    case 'page_empty':
      return toPage([], true)
    case 'page_repeat':
      return toPage(listing.slice(Math.max(0, place - limit), place), true)
    case 'page_restart':
      return pageFrom(listing, { start: 0, limit })
    case 'page_overlap':
      return pageFrom(listing, { start: Math.max(0, place - fault.by), limit })
    case 'page_limit':
    case 'page_arrivals':
    case undefined:
      return pageFrom(listing, { start: place, limit })
  }
}

const cursorFaults: ReadonlySet<string> = new Set<PageFault['fault']>([
  'page_stale',
  'page_repeat',
  'page_restart',
  'page_overlap',
])

/** How many items the faults add after a page was read. */
export function arrivals(faults: readonly PageFault[]): number {
  return faults.reduce((sum, fault) => sum + (fault.fault === 'page_arrivals' ? fault.items : 0), 0)
}

function pageFrom<T extends { id: string }>(
  listing: Listing<T>,
  { start, limit }: { start: number; limit: number },
): Page<T> {
  const end = Math.min(start + limit, listing.size)
  return toPage(listing.slice(start, end), end < listing.size)
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
