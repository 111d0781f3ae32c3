import { pageReads } from '../../service/contract/operation-names.js'
import { DEFAULT_LIMIT } from '../../service/contract/page.js'
import {
  fieldsOf,
  isAccepted,
  listIn,
  textIn,
  type Exchange,
  type ScenarioPart,
} from './exchanges.js'

/** The items that the pages of one list have shown: the place of each, by its id. No place is left out. */
type KnownItems = Map<string, number>

/** Finds pages that show themselves that they do not follow the page before: what is wrong with each. */
export function pageFaults(exchanges: readonly Exchange[]): Map<Exchange, ScenarioPart[]> {
  const found = new Map<Exchange, ScenarioPart[]>()
  const lists = new Map<string, KnownItems>()
  for (const exchange of exchanges) {
    const { operation = '', path, query } = exchange
    if (!pageReads.includes(operation)) continue
    const key = `${path} ${query['order'] ?? ''}`
    const shown: KnownItems = lists.get(key) ?? new Map()
    lists.set(key, shown)
    const page = pageIn(exchange)
    const faults = [...orderFault(exchange, page, shown), ...limitFault(exchange, page)]
    if (faults.length > 0) found.set(exchange, faults)
    addItems(shown, exchange, page)
  }
  return found
}

interface ShownPage {
  /** The ids of its items. */
  readonly ids: readonly string[]
  readonly hasMore: boolean
}

function pageIn({ received }: Exchange): ShownPage {
  const { data, has_more: hasMore } = fieldsOf(received)
  const ids = listIn(data).flatMap((item) => textIn(fieldsOf(item)['id']) ?? [])
  return { ids, hasMore: hasMore === true }
}

/** A first page shows items again. If it has the newest first, its new items come before all others. */
function addItems(shown: KnownItems, { query }: Exchange, { ids }: ShownPage): void {
  const fresh = ids.filter((id) => !shown.has(id))
  const isNewestFirst = query['order'] === 'desc' && query['after'] === undefined
  const places = [...shown.values()]
  const start = isNewestFirst ? Math.min(0, ...places) - fresh.length : Math.max(-1, ...places) + 1
  for (const [index, id] of fresh.entries()) shown.set(id, start + index)
}

function orderFault(exchange: Exchange, page: ShownPage, shown: KnownItems): ScenarioPart[] {
  const { query, status, received } = exchange
  const { ids, hasMore } = page
  const { after = '' } = query
  const cursor = shown.get(after)
  if (status === 404 && cursor !== undefined) return [{ fault: 'page_stale' }]
  if (!isAccepted(exchange) || received === undefined) return []
  const [first] = ids
  if (first === undefined) return hasMore ? [{ fault: 'page_empty' }] : []
  const place = shown.get(first)
  if (cursor === undefined || place === undefined || place > cursor) return []
  if (ids.at(-1) === after && hasMore) return [{ fault: 'page_repeat' }]
  if (place === Math.min(...shown.values()) && cursor > place) return [{ fault: 'page_restart' }]
  const by = cursor - place + 1
  return [{ fault: 'page_overlap', ...(by > 1 && { by }) }]
}

/** A page that is shorter than the client asked for, although there are more items. */
function limitFault({ query }: Exchange, { ids, hasMore }: ShownPage): ScenarioPart[] {
  const isShort = ids.length > 0 && ids.length < Number(query['limit'] ?? DEFAULT_LIMIT)
  return hasMore && isShort ? [{ fault: 'page_limit', limit: ids.length }] : []
}
