import { charactersOf } from '../../../base/text/bytes.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import type { View } from './call.js'
import type { PageArguments } from './list-arguments.js'

export type { FileArguments, ListArguments, PageArguments } from './list-arguments.js'

export const MOST_PER_PAGE = 10_000
export const DEFAULT_PER_PAGE = 50

/**
 * Makes a page of a list.
 *
 * @param edge Makes what the list says about an item. Default: `node`, made by `node`.
 * @throws {PlatformError} When the size or the cursor is not valid.
 */
export function connection<Item>(
  items: readonly Item[],
  { first, after }: PageArguments,
  edge: (item: Item) => View,
): View {
  const size = first ?? DEFAULT_PER_PAGE
  if (size < 0 || size > MOST_PER_PAGE) {
    throw new PlatformError(
      'invalid',
      `The page has the size ${size}; allowed: 0 to ${MOST_PER_PAGE}.`,
    )
  }
  const start = placeAfter(after)
  const page = items.slice(start, start + size)
  const end = start + page.length
  return {
    totalCount: items.length,
    pageInfo: {
      endCursor: page.length > 0 ? cursorOf(end) : null,
      hasNextPage: end < items.length,
    },
    edges: () =>
      page.map((item, index) => ({ cursor: cursorOf(start + index + 1), ...edge(item) })),
  }
}

/** Makes a page of a list that says nothing about its items but what they are. */
export function nodesOf<Item>(
  items: readonly Item[],
  page: PageArguments,
  view: (item: Item) => View,
): View {
  return connection(items, page, (item) => ({ node: () => view(item) }))
}

/** The cursor after the first items of a list. */
export function cursorOf(place: number): string {
  return btoa(`place:${place}`)
}

function placeAfter(cursor: string | null | undefined): number {
  if (cursor === null || cursor === undefined || cursor === '') return 0
  const [, digits] = /^place:(\d{1,9})$/.exec(charactersOf(cursor)) ?? []
  if (digits !== undefined) return Number(digits)
  throw new PlatformError(
    'invalid',
    `The cursor is ${quoted(cursor)}; expected the endCursor of the page before, or none.`,
  )
}
