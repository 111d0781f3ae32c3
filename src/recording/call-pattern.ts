import { fieldsOf, textIn, type Exchange } from './exchanges.js'
import type { Written } from './lifecycles.js'
import { effortOf, formatDuration, roundestIn, significant } from './round.js'

/** Calls that something happened to. */
export interface Affected {
  readonly calls: ReadonlySet<Exchange>
  /** Calls to which it may have happened as well: it would have made no difference. */
  readonly maybe: ReadonlySet<Exchange>
}

/** Which calls a fault applies to, as a scenario says it. */
export interface CallPattern {
  readonly written: Written
  /** All calls that it applies to. */
  readonly covers: ReadonlySet<Exchange>
}

/** Finds the simplest pattern that applies to the affected calls. If none does, one for each operation. */
export function patternsOf(all: readonly Exchange[], affected: Affected): CallPattern[] {
  const models = modelsOf(all)
  const operations = [...new Set([...affected.calls].map(({ operation }) => operation ?? ''))]
  let best: { pattern: CallPattern; effort: number } | undefined
  for (const matching of matchers(all, affected.calls, operations)) {
    for (const found of patternsWith(matching, { affected, models })) {
      const effort = matching.effort + found.effort
      if (!best || effort < best.effort) best = { pattern: found, effort }
    }
  }
  if (best) return [best.pattern]
  return operations.map((operation) => listOf(all, affected, operation))
}

interface Matching {
  match: Written
  calls: readonly Exchange[]
  effort: number
}

/** What may select the calls, before they are counted. */
function matchers(
  all: readonly Exchange[],
  affected: ReadonlySet<Exchange>,
  operations: readonly string[],
): Matching[] {
  const named = operations.length === 1 ? operations[0] : operations
  const isMixed = operations.length > 1
  const made: Matching[] = []
  const add = (match: Written, fits: (exchange: Exchange) => boolean, effort: number): void => {
    made.push({ match, calls: all.filter(fits), effort })
  }
  add(
    { operation: named },
    ({ operation = '' }) => operations.includes(operation),
    2 + 2 * operations.length,
  )
  const isChat = ({ operation = '' }: Exchange): boolean => operation.includes('ChatCompletion')
  if ([...affected].every(isChat)) {
    add({ operation: '*ChatCompletion*' }, isChat, isMixed ? 4 : 5)
  }
  const reads = ({ method }: Exchange): boolean => method === 'GET'
  if ([...affected].every(reads)) add({ method: 'GET' }, reads, isMixed ? 3 : 8)
  // A fault of one operation is not one of all calls, even if that can be counted more simply.
  add({}, () => true, isMixed ? 1 : 9)
  return made
}

type Found = CallPattern & { effort: number }

const PER = ['all', 'operation', 'model', 'path', ['operation', 'model']] as const

/** Returns the name of the model that each call is about. */
function modelsOf(all: readonly Exchange[]): ReadonlyMap<Exchange, string> {
  const byId = new Map<string, string>()
  const models = new Map<Exchange, string>()
  for (const exchange of all) {
    const { operation = '', params, sent, received } = exchange
    const { name, model_id: inBody, model: served } = fieldsOf(sent)
    const { id } = fieldsOf(received)
    const given = params['training_job_id'] ?? params['model_id'] ?? inBody
    const [, inArtifact] = /[^/:]+\/[^/:]+\/([^/:]+)/.exec(textIn(served) ?? '') ?? []
    const model = byId.get(String(given)) ?? inArtifact ?? textIn(served) ?? textIn(name) ?? ''
    models.set(exchange, model)
    const isCreation = operation === 'createModel' || operation.startsWith('create')
    if (isCreation && typeof id === 'string' && !operation.includes('Completion'))
      byId.set(id, model)
  }
  return models
}

function* patternsWith(
  { match, calls }: Matching,
  { affected, models }: { affected: Affected; models: ReadonlyMap<Exchange, string> },
): Generator<Found> {
  const isEmpty = Object.keys(match).length === 0
  const base = isEmpty ? {} : { match }
  for (const per of PER) {
    if (per === 'operation' && new Set(calls.map(({ operation }) => operation)).size < 2) continue
    const scopes = grouped(calls, (exchange) => {
      const model = models.get(exchange)!
      return [per]
        .flat()
        .map((each) => scopeOf(exchange, each, model))
        .join(' ')
    })
    if (per !== 'all' && scopes.length < 2) continue
    const found = countedIn(scopes, affected)
    if (!found) continue
    const written = {
      ...base,
      ...(per !== 'all' && { per }),
      ...(found.calls !== undefined && { calls: found.calls }),
    }
    const covers = new Set(
      scopes.flatMap((scope) => scope.filter((_each, index) => found.has(index + 1))),
    )
    yield { written, covers, effort: found.effort + (per === 'all' ? 0 : 2 * [per].flat().length) }
  }
  const window = windowOf(calls, affected)
  if (window) yield { ...window, written: { ...base, ...window.written } }
}

function grouped(calls: readonly Exchange[], keyOf: (exchange: Exchange) => string): Exchange[][] {
  const groups = new Map<string, Exchange[]>()
  for (const call of calls) {
    const key = keyOf(call)
    const group = groups.get(key)
    if (group) group.push(call)
    else groups.set(key, [call])
  }
  return [...groups.values()]
}

function scopeOf({ operation = '', path }: Exchange, per: string, model: string): string {
  if (per === 'operation') return operation
  if (per === 'path') return path
  return per === 'model' ? model : ''
}

/** A longer list of calls says nothing to a reader. Then a probability stands for it. */
const MOST_LISTED = 20

interface Counted {
  calls: unknown
  effort: number
  has: (call: number) => boolean
}

/** Finds numbers of calls that are the same in all scopes. */
function countedIn(scopes: readonly Exchange[][], { calls, maybe }: Affected): Counted | undefined {
  const numbers = new Set<number>()
  const forbidden = new Set<number>()
  let longest = 0
  for (const scope of scopes) {
    longest = Math.max(longest, scope.length)
    for (const [index, call] of scope.entries()) {
      if (calls.has(call)) numbers.add(index + 1)
      else if (!maybe.has(call)) forbidden.add(index + 1)
    }
  }
  if ([...numbers].some((number) => forbidden.has(number))) return undefined
  const sorted = [...numbers].sort((a, b) => a - b)
  return regular(sorted, { forbidden, longest })
}

function effortOfRhythm(count: number, every: number): number {
  if (count > 2) return 2
  // Two calls are a weak reason for a rhythm.
  return every === 1 ? 4 : 8
}

function regular(
  numbers: readonly number[],
  { forbidden, longest }: { forbidden: ReadonlySet<number>; longest: number },
): Counted | undefined {
  const [first, second] = numbers as [number, number?]
  if (numbers.length > 1 && forbidden.size === 0) {
    return { calls: undefined, effort: 0, has: () => true }
  }
  const last = numbers.at(-1)!
  const isFree = (from: number, to: number, every: number): boolean => {
    for (let number = from; number <= to; number += every) if (forbidden.has(number)) return false
    return true
  }
  if (second === undefined) return { calls: first, effort: 1, has: (call) => call === first }
  const widest = numbers.length > 2 || longest < first + 2 * (second - first) ? second - first : 0
  for (let every = widest; every > 0; every--) {
    if (!numbers.every((number) => (number - first) % every === 0)) continue
    const has = (call: number): boolean => call >= first && (call - first) % every === 0
    if (isFree(first, longest, every) && (every > 1 || numbers.length > 1)) {
      if (first === 1 && every === 1) return { calls: undefined, effort: 0, has }
      return {
        calls: { ...(first > 1 && { from: first }), ...(every > 1 && { every }) },
        effort: effortOfRhythm(numbers.length, every),
        has,
      }
    }
    if (every === 1 && numbers.length > 2 && isFree(first, last, 1)) {
      const calls = { ...(first > 1 && { from: first }), to: last }
      return { calls, effort: 4, has: (call) => call >= first && call <= last }
    }
  }
  if (numbers.length > MOST_LISTED) return undefined
  const set = new Set(numbers)
  return { calls: [...numbers], effort: 5 * numbers.length - 2, has: (call) => set.has(call) }
}

/** Finds a window of time in which all calls were affected. Outside of it, none was. */
function windowOf(
  calls: readonly Exchange[],
  { calls: affected, maybe }: Affected,
): Found | undefined {
  const places = calls.flatMap((call, index) => (affected.has(call) ? [index] : []))
  const [first, last] = [places[0]!, places.at(-1)!]
  if (places.length < 2) return undefined
  const inside = calls.slice(first, last + 1)
  if (!inside.every((call) => affected.has(call) || maybe.has(call))) return undefined
  const before = calls[first - 1]
  const after = calls[last + 1]
  // Without an answer after it, nobody knows when it ended.
  if (!after) return undefined
  const from = before ? roundestIn({ above: before.sentAt, most: calls[first]!.sentAt }) : 0
  const to = roundestIn({ above: calls[last]!.sentAt, most: after.sentAt })
  const during = { ...(from > 0 && { from: formatDuration(from) }), to: formatDuration(to) }
  const covers = new Set(calls.filter(({ sentAt }) => sentAt >= from && sentAt < to))
  for (const call of covers) if (!affected.has(call) && !maybe.has(call)) return undefined
  for (const call of affected) if (!covers.has(call)) return undefined
  return { written: { during }, covers, effort: 1 + (effortOf(from) + effortOf(to)) / 2 }
}

/** Lists the numbers of the affected calls of one operation. */
function listOf(all: readonly Exchange[], affected: Affected, operation: string): CallPattern {
  const own = all.filter((exchange) => (exchange.operation ?? '') === operation)
  const covers = new Set(own.filter((call) => affected.calls.has(call)))
  const numbers = own.flatMap((call, index) => (covers.has(call) ? [index + 1] : []))
  if (numbers.length > MOST_LISTED) {
    const probability = significant(numbers.length / own.length, 2)
    return { written: { match: { operation }, probability }, covers }
  }
  const calls = numbers.length === 1 ? numbers[0] : numbers
  return { written: { match: { operation }, calls }, covers }
}
