import type { RequestEntry } from '../engine/journal.js'
import { didYouMean } from '../text/nearest.js'
import { operationNames, type OperationName } from '../api/operation-names.js'
import { lastOfEach } from '../api/route.js'
import { anyObject, anything, Options } from '../text/options.js'
import { differencesOf, type AsymmetricMatcher, type Difference } from './match.js'
import { shown } from '../text/shown.js'

/**
 * Which requests are meant: those that fit in all that is named. A value is the same value, a part of
 * an object, a regular expression, a function that says yes, or a matcher such as `expect.any(String)`.
 */
export interface RequestPattern {
  /** The operation's id, such as `createRlTrainingJob`. */
  operation?: OperationName | (string & {})
  host?: 'training' | 'inference'
  method?: string | RegExp
  path?: string | RegExp | AsymmetricMatcher
  /** Of a parameter that is given several times, the last one. */
  query?: Readonly<Record<string, unknown>>
  /** Whatever the case of their names. */
  headers?: Readonly<Record<string, unknown>>
  /** Of JSON: what it means; else the text. */
  body?: unknown
  /** What was answered. */
  status?: unknown
}

/** Values are compared, so all kinds of them may be expected. */
export const requestPattern = new Options<RequestPattern>('requests', {
  operation: anything,
  host: anything,
  method: anything,
  path: anything,
  query: anyObject,
  headers: anyObject,
  body: anything,
  status: anything,
})

/** Which requests are meant: an operation's id, or a pattern. */
export type WhichRequest = OperationName | (string & {}) | RequestPattern

/** Thrown for an operation that no request can be of. Code `SVTRAIN_UNKNOWN_OPERATION`. */
export class UnknownOperationError extends Error {
  override readonly name = 'UnknownOperationError'
  readonly code = 'SVTRAIN_UNKNOWN_OPERATION'
  constructor(operation: string) {
    const hint = didYouMean(operation, operationNames)
    super(
      `No operation of the API is called "${operation}".${hint} Requests to the control API are not recorded. Operations of the API: ${operationNames.join(', ')}.`,
    )
  }
}

/**
 * A pattern, from an operation's id or from one. Throws `UnknownOperationError` or `OptionsError`; `of`
 * names the function that was called.
 */
export function patternOf(meant: WhichRequest, of?: string): RequestPattern {
  const pattern = typeof meant === 'string' ? { operation: meant } : meant
  requestPattern.check(pattern, of)
  const { operation } = pattern
  const isKnown = operationNames.some((name) => name === operation)
  if (operation !== undefined && !isKnown) throw new UnknownOperationError(operation)
  return pattern
}

/** Where a request is not as the pattern has it. The body is read last, as it costs most. */
export function differencesFrom(pattern: RequestPattern, request: RequestEntry): Difference[] {
  const { query, headers, body, ...plain } = pattern
  const differences = differencesOf(plain, request, '')
  if (query) differences.push(...differencesOf(query, lastOfEach(request.query), 'query'))
  if (headers) differences.push(...ofHeaders(headers, request.headers))
  if (body === undefined) return differences
  if (!request.bodyForgotten) return [...differences, ...differencesOf(body, request.body, 'body')]
  const received = 'a body that is no longer kept'
  return [...differences, { place: 'body', expected: shown(body), received }]
}

export function fits(pattern: RequestPattern, request: RequestEntry): boolean {
  const { body, ...cheap } = pattern
  if (differencesFrom(cheap, request).length > 0) return false
  return body === undefined || differencesFrom({ body }, request).length === 0
}

/** Their values are for nobody's eyes. */
const secret = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key'])

function ofHeaders(
  expected: Readonly<Record<string, unknown>>,
  received: RequestEntry['headers'],
): Difference[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const lower = name.toLowerCase()
    const found = differencesOf(value, received[lower], `headers.${lower}`)
    if (!secret.has(lower)) return found
    const has = received[lower] === undefined ? 'nothing' : 'another value, not shown'
    return found.map(({ place }) => ({ place, expected: 'a value, not shown', received: has }))
  })
}

/** A pattern in words; what is secret in it is left out. */
export function patternShown(pattern: RequestPattern): string {
  const { headers } = pattern
  if (headers === undefined) return shown(pattern, MOST_SHOWN)
  const hidden = Object.entries(headers).map(([name, value]) => {
    return [name, secret.has(name.toLowerCase()) ? /not shown/ : value] as const
  })
  return shown({ ...pattern, headers: Object.fromEntries(hidden) }, MOST_SHOWN)
}

const MOST_SHOWN = 400
