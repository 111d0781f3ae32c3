import type { Page } from '../contract/page.js'
import type { PageFault } from '../engine/faults/fault-plan.js'

/** A list in the order in which it was asked for. */
export interface Listing<T> {
  readonly size: number
  /** The place behind the item with that id; undefined where there never was one. */
  placeAfter: (id: string) => number | undefined
  slice: (start: number, end: number) => T[]
}

export interface PageRequest {
  after: string | undefined
  limit: number
  /** What goes wrong with the page, where something does. */
  fault?: PageFault | undefined
}

/**
 * One page in the service's envelope (specification 2.1); undefined where the cursor is not known.
 * A fault by name changes which items it holds, or what it says of those to come.
 */
export function readPage<T extends { id: string }>(
  listing: Listing<T>,
  { after, limit: asked, fault }: PageRequest,
): Page<T> | undefined {
  const place = after === undefined ? 0 : listing.placeAfter(after)
  if (place === undefined) return undefined
  const limit = fault?.fault === 'page_limit' ? Math.min(asked, fault.limit) : asked
  // Faults of the cursor have nothing to work on in the first page.
  const kind = after === undefined && fault?.fault !== 'page_empty' ? undefined : fault?.fault
  if (kind === 'page_stale') return undefined
  if (kind === 'page_empty') return toPage([], true)
  if (kind === 'page_repeat') return toPage(listing.slice(Math.max(0, place - limit), place), true)
  const start = startOf(place, fault)
  const end = Math.min(start + limit, listing.size)
  return toPage(listing.slice(start, end), end < listing.size)
}

function startOf(place: number, fault: PageFault | undefined): number {
  if (fault?.fault === 'page_restart') return 0
  return fault?.fault === 'page_overlap' ? Math.max(0, place - fault.by) : place
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

/** The cursor of a request. An empty one is none, as it is to a server that asks `if after:`. */
export function cursorOf({ after }: { after?: string | undefined }): string | undefined {
  return after === '' ? undefined : after
}
