import { pageReads } from '../../service/contract/operation-names.js'
import {
  fieldsOf,
  isAccepted,
  listIn,
  textIn,
  type Exchange,
  type ScenarioPart,
} from './exchanges.js'

const DEFAULT_LIMIT = 20

/** The ids of the items that the pages of one list have shown, in their order. */
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
    const faults = [...orderFault(exchange, shown), ...limitFault(exchange)]
    if (faults.length > 0) found.set(exchange, faults)
    addItems(shown, exchange)
  }
  return found
}

/** Items of a first page are known again. Those of a list with the newest first come before the others. */
function addItems(shown: KnownItems, { received, query }: Exchange): void {
  const fresh = idsIn(received).filter((id) => !shown.has(id))
  const isNewestFirst = query['order'] === 'desc' && query['after'] === undefined
  const places = [...shown.values()]
  const start = isNewestFirst ? Math.min(0, ...places) - fresh.length : shown.size
  for (const [index, id] of fresh.entries()) shown.set(id, start + index)
}

function idsIn(received: unknown): string[] {
  return listIn(fieldsOf(received)['data']).flatMap((item) => textIn(fieldsOf(item)['id']) ?? [])
}

function orderFault(exchange: Exchange, shown: KnownItems): ScenarioPart[] {
  const { query, status, received } = exchange
  const { after = '' } = query
  const cursor = shown.get(after)
  if (status === 404 && cursor !== undefined) return [{ fault: 'page_stale' }]
  if (!isAccepted(exchange) || received === undefined) return []
  const ids = idsIn(received)
  const hasMore = fieldsOf(received)['has_more'] === true
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
function limitFault({ received, query }: Exchange): ScenarioPart[] {
  const items = idsIn(received).length
  const isShort = items > 0 && items < Number(query['limit'] ?? DEFAULT_LIMIT)
  const hasMore = fieldsOf(received)['has_more'] === true
  return hasMore && isShort ? [{ fault: 'page_limit', limit: items }] : []
}
