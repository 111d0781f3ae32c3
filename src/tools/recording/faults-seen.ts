import { chatRefusal, refusalWith } from '../../service/contract/status-wording.js'
import type { FaultKind } from '../../service/scenario/faults/kinds/index.js'
import { TokenBucket } from '../../service/engine/faults/token-bucket.js'
import { callNumbers } from './call-numbers.js'
import type { SeenCheckpoints } from './checkpoints-seen.js'
import { fieldsOf, isAccepted, isChat, listIn, textIn, type Exchange } from './exchanges.js'
import type { ScenarioPart } from './lifecycles.js'
import { formatDuration, significant } from './times.js'

/** Writes what went wrong with calls as faults. */
export function faultsOf(
  exchanges: readonly Exchange[],
  checkpoints: SeenCheckpoints,
): { faults: SeenFault[]; contextWindow: number | undefined; pace: ScenarioPart | undefined } {
  const window = exchanges.flatMap((each) => contextWindowIn(each) ?? [])[0]
  const troubles = new Map<string, Trouble>()
  const note = (exchange: Exchange, fault: SeenFault): void => {
    const key = JSON.stringify(fault)
    const trouble = troubles.get(key) ?? { fault, calls: new Set<Exchange>() }
    trouble.calls.add(exchange)
    troubles.set(key, trouble)
  }
  for (const exchange of exchanges) {
    if (isNatural(exchange, exchanges, checkpoints)) continue
    const ending = endingOf(exchange, checkpoints.worked.has(exchange))
    if (ending) note(exchange, ending)
  }
  const pages = pageTroubles(exchanges)
  for (const { exchange, fault } of pages.found) note(exchange, fault)
  for (const [key, { fault }] of troubles) {
    if (fault['status'] === 404 && pages.stale.size > 0) {
      const trouble = troubles.get(key)!
      for (const exchange of pages.stale) trouble.calls.delete(exchange)
      if (trouble.calls.size === 0) troubles.delete(key)
    }
  }
  for (const { exchange, fault } of missingFields(exchanges)) note(exchange, fault)
  const limited = rateLimits(exchanges, [...troubles.values()])
  for (const trouble of limited.explained) troubles.delete(JSON.stringify(trouble.fault))
  const pace = paceOf(exchanges)
  const delays = latencies(exchanges, pace !== undefined)
  const faults = [...troubles.values()].flatMap(({ fault: { fault, ...options }, calls }) => {
    return callNumbers(exchanges, calls).map((numbers) => ({ fault, ...numbers, ...options }))
  })
  // Delays that come first also delay refusals.
  const refused = exchanges.filter((each) => !isAccepted(each) && each.answeredAt !== undefined)
  const isLate = usualSlowness(refused) >= LATE
  const others = [...limited.faults, ...faults]
  return {
    faults: isLate ? [...delays, ...others] : [...others, ...delays],
    contextWindow: window,
    pace,
  }
}

/** The kinds of faults that are found in recordings. */
type SeenKind =
  | 'status'
  | 'delay'
  | 'drop'
  | 'hang'
  | 'edit'
  | 'malformed'
  | 'rate_limit'
  | 'concurrency'
  | `page_${'overlap' | 'restart' | 'empty' | 'repeat' | 'stale' | 'limit'}`

type SeenFault = ScenarioPart & { fault: SeenKind }

/** The others, and why. */
export const NOT_SEEN: Readonly<Record<Exclude<FaultKind, SeenKind>, string>> = {
  content_type: 'An unusual type is written with the status, or with the body that is not JSON.',
  job_limit: 'The refusals are written with the numbers of their calls.',
  trickle: 'A recording has the times of an answer, but not those of its pieces.',
  fail_job: 'A job that failed has a timeline of its own.',
  page_arrivals: 'New items are events of their job.',
}

/** The same thing that happened to some calls. */
interface Trouble {
  readonly fault: SeenFault
  readonly calls: Set<Exchange>
}

const CONTEXT = /maximum context length is (\d+) tokens|max_total_tokens=(\d+)/

/** Returns the size of the context window, if a chat was refused because of it. */
function contextWindowIn(exchange: Exchange): number | undefined {
  if (!isChat(exchange) || exchange.status !== 400) return undefined
  const [, length, total] = CONTEXT.exec(messageIn(exchange) ?? '') ?? []
  const size = length ?? total
  return size === undefined ? undefined : Number(size)
}

/** Whether the emulator refuses the call as well, without a fault. */
function isNatural(
  exchange: Exchange,
  all: readonly Exchange[],
  { unserved }: SeenCheckpoints,
): boolean {
  const { status, operation, params, query } = exchange
  if (exchange.operation === undefined) return true
  if (exchange.how !== 'complete' || status === undefined || status < 400) return false
  if ([405, 413, 422].includes(status) || unserved.has(exchange)) return true
  if (contextWindowIn(exchange) !== undefined) return true
  if (status === 409 && operation === 'createModel') return true
  if (status !== 404) return false
  // A page fault explains a cursor that is refused.
  if (query['after'] !== undefined) return false
  if (isChat(exchange)) return !all.some((each) => isAccepted(each) && hasModelOf(each, exchange))
  const id = params['training_job_id'] ?? params['model_id']
  if (id === undefined) return false
  return !all.some((each) => isAccepted(each) && mentions(each, id))
}

function hasModelOf(one: Exchange, other: Exchange): boolean {
  return isChat(one) && fieldsOf(one.sent)['model'] === fieldsOf(other.sent)['model']
}

function mentions({ received, params }: Exchange, id: string): boolean {
  return fieldsOf(received)['id'] === id || Object.values(params).includes(id)
}

/** Returns what ended a call, if it did not go well. */
function endingOf(exchange: Exchange, worked: boolean): SeenFault | undefined {
  const { how, status, text, headers } = exchange
  const stage = worked ? { stage: 'after' } : {}
  const half = { stage: 'mid_body' }
  if (how === 'unfinished') return undefined
  if (how === 'lost') return { fault: 'drop', ...(status === undefined ? stage : half) }
  if (how === 'client_left') {
    // A client that has seen enough of a stream leaves, too.
    if (text.includes('data: [DONE]')) return undefined
    return { fault: 'hang', ...(status === undefined ? stage : half) }
  }
  if (status !== undefined && status >= 400) return refusal(exchange, stage)
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  if (isStream || exchange.received !== undefined || exchange.operation === undefined)
    return undefined
  if (TOO_LARGE.test(text)) return undefined
  // The recorder replaces a body that is not JSON, so only its type is known.
  const isPage = NOT_RECORDED.test(text) && headers['content-type']?.startsWith('text/html')
  return { fault: 'malformed', form: isPage ? 'html' : formOf(text) }
}

/** What the recorder writes in place of a body. */
const NOT_RECORDED = /^\[(?:redacted|binary|not recorded)\b.*\]$/
const TOO_LARGE = /^\[not recorded\b.*\]$/

function formOf(text: string): string {
  if (text === '') return 'empty'
  if (/^\s*</.test(text)) return 'html'
  return /^\s*[[{]/.test(text) ? 'truncated' : 'not_json'
}

function messageIn({ received }: Exchange): string | undefined {
  const { detail, error } = fieldsOf(received)
  return textIn(detail) ?? textIn(fieldsOf(error)['message'])
}

function refusal(exchange: Exchange, stage: ScenarioPart): SeenFault {
  const { host, headers, text } = exchange
  const status = exchange.status!
  const received: unknown = exchange.received
  const wait = waitIn(headers)
  const common = { fault: 'status' as const, ...stage, status }
  const after = wait === undefined ? {} : { retry_after: formatDuration(wait) }
  const bodyWith = (message?: string): string => {
    const made = isChat(exchange)
      ? chatRefusal(status, { message })
      : refusalWith(status, host, { message })
    return JSON.stringify(made.bodyFor(host))
  }
  const body = JSON.stringify(received)
  if (body === bodyWith()) return { ...common, ...after }
  const message = messageIn(exchange)
  if (message !== undefined && !message.includes('{{') && body === bodyWith(message)) {
    return { ...common, message, ...after }
  }
  const type = headers['content-type']
  if (NOT_RECORDED.test(text)) return { ...common, ...after }
  const isPlain = received === undefined || typeof received === 'string'
  const isUsual = type === undefined || type.startsWith(isPlain ? 'text/plain' : 'application/json')
  return {
    ...common,
    ...after,
    ...(!isUsual && { headers: { 'content-type': type } }),
    body: isPlain ? text : received,
  }
}

function waitIn(headers: Readonly<Record<string, string>>): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (exact >= 0) return exact
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

interface PageTroubles {
  readonly found: readonly { exchange: Exchange; fault: SeenFault }[]
  readonly stale: ReadonlySet<Exchange>
}

const DEFAULT_LIMIT = 20

interface PageList {
  /** All items, in their order. */
  ids: string[]
  known: Set<string>
  pages: Exchange[]
}

const isList = ({ operation = '' }: Exchange): boolean =>
  operation === 'listTrainingJobEvents' || operation === 'listCheckpoints'

/** Finds pages that do not follow the page before. */
function pageTroubles(exchanges: readonly Exchange[]): PageTroubles {
  const found: { exchange: Exchange; fault: SeenFault }[] = []
  const limits: { exchange: Exchange; fault: SeenFault }[] = []
  const stale = new Set<Exchange>()
  for (const { ids, pages } of pageLists(exchanges)) {
    const places = new Map(ids.map((id, index) => [id, index]))
    for (const exchange of pages) {
      const fault = pageFault(exchange, places)
      if (fault) found.push({ exchange, fault })
      if (fault?.['fault'] === 'page_stale') stale.add(exchange)
      const items = idsIn(exchange).length
      const limit = Number(exchange.query['limit'] ?? DEFAULT_LIMIT)
      const hasMore = fieldsOf(exchange.received)['has_more'] === true
      if (hasMore && items > 0 && items < limit) {
        limits.push({ exchange, fault: { fault: 'page_limit', limit: items } })
      }
    }
  }
  return { found: [...found, ...limits], stale }
}

function pageLists(exchanges: readonly Exchange[]): PageList[] {
  const lists = new Map<string, PageList>()
  for (const exchange of exchanges.filter(isList)) {
    const { path, query } = exchange
    const key = `${path} ${query['order'] ?? ''}`
    const list = lists.get(key) ?? { ids: [], known: new Set(), pages: [] }
    lists.set(key, list)
    list.pages.push(exchange)
    let before = query['after']
    for (const id of idsIn(exchange)) {
      if (!list.known.has(id))
        insert(list.ids, { id, before, isNewestFirst: query['order'] === 'desc' })
      list.known.add(id)
      before = id
    }
  }
  return [...lists.values()]
}

function insert(
  ids: string[],
  { id, before, isNewestFirst }: { id: string; before: string | undefined; isNewestFirst: boolean },
): void {
  const place = before === undefined ? -1 : ids.lastIndexOf(before)
  if (place !== -1) ids.splice(place + 1, 0, id)
  else if (isNewestFirst) ids.unshift(id)
  else ids.push(id)
}

function idsIn({ received }: Exchange): string[] {
  return listIn(fieldsOf(received)['data']).flatMap((item) => textIn(fieldsOf(item)['id']) ?? [])
}

function pageFault(exchange: Exchange, places: ReadonlyMap<string, number>): SeenFault | undefined {
  const { query, status } = exchange
  const { after } = query
  const cursor = after === undefined ? -1 : places.get(after)
  if (status === 404 && cursor !== undefined && cursor >= 0) return { fault: 'page_stale' }
  if (!isAccepted(exchange) || exchange.received === undefined) return undefined
  const ids = idsIn(exchange)
  const { has_more } = fieldsOf(exchange.received)
  if (ids.length === 0) return has_more === true ? { fault: 'page_empty' } : undefined
  if (cursor === undefined || after === undefined) return undefined
  const first = places.get(ids[0]!)!
  if (first > cursor) return undefined
  if (ids.at(-1) === after && has_more === true) return { fault: 'page_repeat' }
  if (first === 0 && cursor > 0) return { fault: 'page_restart' }
  const by = cursor - first + 1
  return { fault: 'page_overlap', ...(by > 1 && { by }) }
}

/** Waits for one more call that a rate limit may have, in milliseconds. */
const WITHIN = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30, 60, 120, 300, 600, 3600].map(
  (s) => s * 1000,
)
const MOST_REQUESTS = 200

/** Describes refusals with 429 as a rate limit, if one refuses exactly these calls. */
function rateLimits(
  exchanges: readonly Exchange[],
  troubles: readonly Trouble[],
): { faults: SeenFault[]; explained: Trouble[] } {
  const refused = troubles.filter(
    ({ fault }) => fault['fault'] === 'status' && fault['status'] === 429,
  )
  if (refused.length === 0) return { faults: [], explained: [] }
  const calls = new Set(refused.flatMap((trouble) => [...trouble.calls]))
  const together = concurrencyLimit(exchanges, calls)
  if (together) return { faults: [together], explained: refused }
  const operations = new Set([...calls].map(({ operation = '' }) => operation))
  const scopes = [
    { written: {}, own: exchanges.filter(({ operation }) => operation !== undefined) },
    {
      written: {
        match: { operation: operations.size === 1 ? [...operations][0] : [...operations] },
      },
      own: exchanges.filter(({ operation = '' }) => operations.has(operation)),
    },
  ]
  for (const { written, own } of scopes) {
    const limit = bucketFor(own, calls)
    if (!limit) continue
    const [message] = [...calls].map(messageIn)
    const usual = message === undefined || message === usualRefusal([...calls][0]!)
    const { requests, within } = limit
    const text = { requests, within: formatDuration(within), ...(!usual && { message }) }
    return { faults: [{ fault: 'rate_limit', ...written, ...text }], explained: refused }
  }
  return { faults: [], explained: [] }
}

/** Describes refusals as a limit of calls in progress, if one refuses exactly these calls. */
function concurrencyLimit(
  exchanges: readonly Exchange[],
  refused: ReadonlySet<Exchange>,
): SeenFault | undefined {
  if (![...refused].every(isChat)) return undefined
  const chats = exchanges.filter(isChat)
  // A call that ends at the same moment may still count, or not.
  let least = Infinity
  let most = 0
  for (const chat of chats) {
    const earlier = chats.filter((other) => other.id < chat.id && !refused.has(other))
    const ends = earlier.map(({ endedAt = Infinity }) => endedAt)
    if (refused.has(chat)) least = Math.min(least, ends.filter((at) => at >= chat.sentAt).length)
    else most = Math.max(most, ends.filter((at) => at > chat.sentAt).length)
  }
  if (least === Infinity || most + 1 > least) return undefined
  const [message] = [...refused].map(messageIn)
  const isUsual = message === undefined || message === usualRefusal([...refused][0]!)
  const match = { operation: '*ChatCompletion*' }
  return { fault: 'concurrency', match, most: most + 1, ...(!isUsual && { message }) }
}

function usualRefusal(exchange: Exchange): string {
  const { host } = exchange
  return (isChat(exchange) ? chatRefusal(429) : refusalWith(429, host)).message
}

/** Finds the token bucket that refuses exactly these calls. */
function bucketFor(
  calls: readonly Exchange[],
  refused: ReadonlySet<Exchange>,
): { requests: number; within: number } | undefined {
  const before = calls.findIndex((call) => refused.has(call))
  const named = Number(calls[before]?.headers['x-ratelimit-limit-requests'] ?? Number.NaN)
  const most = Number.isNaN(named) ? Math.min(before, MOST_REQUESTS) : named
  let best: { requests: number; within: number; error: number } | undefined
  for (let requests = Number.isNaN(named) ? 1 : named; requests <= most; requests++) {
    for (const within of WITHIN) {
      const error = errorOf(calls, { refused, limit: { requests, within, burst: requests } })
      if (error === undefined) continue
      if (!best || error < best.error) best = { requests, within, error }
    }
  }
  return best
}

/** Returns how far the waits of a limit are from those in the answers. Undefined if it refuses other calls. */
function errorOf(
  calls: readonly Exchange[],
  {
    refused,
    limit,
  }: { refused: ReadonlySet<Exchange>; limit: ConstructorParameters<typeof TokenBucket>[0] },
): number | undefined {
  const bucket = new TokenBucket(limit, calls[0]!.sentAt)
  let error = 0
  for (const call of calls) {
    const result = bucket.take(call.sentAt)
    if (result.taken === refused.has(call)) return undefined
    if (!result.taken) {
      const wait = waitIn(call.headers)
      if (wait !== undefined) error += Math.abs(wait - result.wait)
    }
  }
  return error
}

/** Answers that come faster are not late. */
const LATE = 100

/** Less often, an operation is late only if it takes this long: the first calls of a connection are always slower. */
const LATE_ONCE = 1000
const OFTEN = 3

/** Writes how late answers are, for the operations whose answers are late. */
function latencies(exchanges: readonly Exchange[], hasPace: boolean): SeenFault[] {
  const all = new Map<string, Exchange[]>()
  for (const exchange of exchanges) {
    const { operation } = exchange
    const isPaced = hasPace && isChat(exchange)
    if (operation === undefined || isPaced || !isAccepted(exchange)) continue
    const calls = all.get(operation) ?? []
    all.set(operation, calls)
    calls.push(exchange)
  }
  const late = [...all].filter(([, calls]) => {
    return usualSlowness(calls) >= (calls.length < OFTEN ? LATE_ONCE : LATE)
  })
  if (late.length === 0) return []
  const waits = late.flatMap(([, calls]) => calls.map(waitOf))
  const names = late.map(([operation]) => operation)
  const isAll = late.length === all.size && !hasPace
  const match = isAll ? {} : { match: { operation: names.length === 1 ? names[0] : names } }
  return [{ fault: 'delay', ...match, delay: delayOf(waits) }]
}

function waitOf(exchange: Exchange): number {
  const { sentAt, answeredAt = sentAt, skipsTime } = exchange
  return skipsTime && !isChat(exchange) ? 0 : answeredAt - sentAt
}

/** The time that `LATE` is compared with. A fast clock makes minutes of some milliseconds. */
function slownessOf({ realWait = Infinity }: Exchange, took: number): number {
  return Math.min(took, realWait)
}

function usualSlowness(exchanges: readonly Exchange[]): number {
  const all = exchanges.map((each) => slownessOf(each, waitOf(each)))
  return quantile(all, 0.5)
}

/** Describes the times of chats by the time of the first token and of each further one, if that is what they show. */
function paceOf(exchanges: readonly Exchange[]): ScenarioPart | undefined {
  const points = exchanges.flatMap((exchange) => {
    const { received, sentAt, endedAt } = exchange
    const tokens = fieldsOf(fieldsOf(received)['usage'])['completion_tokens']
    if (!isChat(exchange) || !isAccepted(exchange) || endedAt === undefined) return []
    const took = endedAt - sentAt
    const slowness = slownessOf(exchange, took)
    return typeof tokens === 'number' ? [{ tokens, took, slowness }] : []
  })
  const meanTokens = mean(points.map(({ tokens }) => tokens))
  const meanTook = mean(points.map(({ took }) => took))
  if (points.length < 3 || mean(points.map(({ slowness }) => slowness)) < LATE) return undefined
  let variance = 0
  let covariance = 0
  for (const { tokens, took } of points) {
    variance += (tokens - meanTokens) ** 2
    covariance += (tokens - meanTokens) * (took - meanTook)
  }
  const perToken = covariance / variance
  if (variance === 0 || !(perToken > 0)) return undefined
  const first = Math.max(0, meanTook - perToken * meanTokens)
  const isClose = points.every(({ tokens, took }) => {
    return Math.abs(first + perToken * tokens - took) <= Math.max(50, 0.05 * took)
  })
  if (!isClose) return undefined
  // The first token comes at the end of its own time.
  const firstToken = first + perToken
  return {
    ...(firstToken >= 1 && { first_token: formatDuration(significant(firstToken)) }),
    tokens_per_second: significant(1000 / perToken),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** The fields of an answer that training needs. */
const TRAINABLE = [
  'choices.*.logprobs',
  'choices.*.token_ids',
  'choices.*.prompt_token_ids',
  'prompt_token_ids',
]

/** Finds answers without log probabilities or token ids, although other answers to the same request have them. */
function missingFields(exchanges: readonly Exchange[]): { exchange: Exchange; fault: SeenFault }[] {
  const chats = exchanges.filter((each) => {
    const { logprobs, return_token_ids: ids } = fieldsOf(each.sent)
    return isChat(each) && isAccepted(each) && (logprobs === true || ids === true)
  })
  const has = (chat: Exchange, path: string): boolean => {
    const [choice] = listIn(fieldsOf(chat.received)['choices'])
    const isOfChoice = path.startsWith('choices.*.')
    const holder = isOfChoice ? fieldsOf(choice) : fieldsOf(chat.received)
    return holder[path.replace('choices.*.', '')] !== undefined
  }
  const requestKey = ({ sent }: Exchange): string => {
    const { logprobs, return_token_ids: ids } = fieldsOf(sent)
    return JSON.stringify([logprobs, ids])
  }
  const given = new Map<string, Set<string>>()
  for (const chat of chats) {
    const paths = given.get(requestKey(chat)) ?? new Set<string>()
    given.set(requestKey(chat), paths)
    for (const path of TRAINABLE) if (has(chat, path)) paths.add(path)
  }
  return chats.flatMap((exchange) => {
    const usual = given.get(requestKey(exchange))!
    const remove = TRAINABLE.filter((path) => usual.has(path) && !has(exchange, path))
    if (remove.length === 0 || exchange.received === undefined) return []
    return [
      { exchange, fault: { fault: 'edit', remove: remove.length === 1 ? remove[0] : remove } },
    ]
  })
}

function delayOf(waits: readonly number[]): unknown {
  const median = quantile(waits, 0.5)
  const [least, most] = [quantile(waits, 0), quantile(waits, 1)]
  if (most - least <= 0.05 * median) return formatDuration(significant(median))
  const logs = waits.map((wait) => Math.log(Math.max(1, wait) / median))
  const deviation = Math.sqrt(logs.reduce((sum, each) => sum + each ** 2, 0) / logs.length)
  // The same distribution as that of the emulator: log-normal.
  const p99 = median * Math.exp(2.326 * deviation)
  return {
    median: formatDuration(significant(median)),
    p99: formatDuration(significant(Math.max(p99, median))),
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
}
