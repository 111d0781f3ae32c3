import type { RequestEntry } from '../../service/engine/journal.js'
import { didYouMean } from '../../base/text/nearest.js'
import {
  operationIdIn,
  operationNames,
  type OperationName,
} from '../../service/contract/operation-names.js'
import { lastOfEach } from '../../service/api/route.js'
import { aText, anyObject, anything, Options } from '../../base/text/options.js'
import {
  differences,
  matches,
  type AsymmetricMatcher,
  type Difference,
} from '../../base/text/match.js'
import { InWords, shown } from '../../base/text/shown.js'
import { EmulatorError } from '../../base/text/emulator-error.js'
import { redactionOf } from '../../service/engine/shown-entry.js'
import { isSecretName, type NamePlace } from '../../base/text/redaction/secret-names.js'

/**
 * Matches requests by all the fields that it names. The value of a field is an equal value, a part of an
 * object, a regular expression, a function that returns true, or a matcher such as `expect.any(String)`.
 *
 * @example
 * const { id } = await emulator.models.create({ name: 'poet' })
 * emulator.requests.find({ method: 'POST', path: /training-jobs$/, body: { model_id: id } })
 */
export interface RequestPattern {
  /** The operation's id, such as `createRlTrainingJob`. */
  operation?: OperationName | (string & {})
  /** The host that the client called. */
  host?: 'training' | 'inference'
  /** The HTTP method, in upper case. */
  method?: string | RegExp
  /** The path without the query. */
  path?: string | RegExp | AsymmetricMatcher
  /** Query parameters. The last value counts if a parameter is repeated. */
  query?: Readonly<Record<string, unknown>>
  /** Headers; the case of their names does not matter. */
  headers?: Readonly<Record<string, unknown>>
  /** The value of a JSON body, otherwise the text of the body. */
  body?: unknown
  /** The status of the response. */
  status?: unknown
}

export const requestPattern = new Options<RequestPattern>('requests', {
  operation: aText,
  host: anything,
  method: anything,
  path: anything,
  query: anyObject,
  headers: anyObject,
  body: anything,
  status: anything,
})

/** The id of an operation, or a pattern. */
export type WhichRequest = OperationName | (string & {}) | RequestPattern

/** Thrown for an operation that does not exist. Code `SVTRAIN_UNKNOWN_OPERATION`. */
export class UnknownOperationError extends EmulatorError {
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
 * Returns the pattern for an operation's id, or the pattern itself.
 *
 * @param of The name of the called function, for the message of an error.
 * @throws {UnknownOperationError} When there is no such operation.
 * @throws {OptionsError} When the pattern has an unknown field.
 */
export function patternOf(which: WhichRequest, of?: string): RequestPattern {
  const pattern = typeof which === 'string' ? { operation: which } : which
  requestPattern.check(pattern, of)
  const { operation } = pattern
  if (operation === undefined) return pattern
  const id = operationIdIn(operation)
  if (!operationNames.some((name) => name === id)) throw new UnknownOperationError(operation)
  return pattern
}

/** Whether a request matches a pattern. It compares the body last, because reading it costs most. */
export function matchesRequest(pattern: RequestPattern, request: RequestEntry): boolean {
  if (pattern.body !== undefined && request.bodyForgotten) return false
  return matches(comparable(pattern), viewOf(request, pattern))
}

/** Returns every place in which a request does not match a pattern. */
export function requestDifferences(pattern: RequestPattern, request: RequestEntry): Difference[] {
  const { body, ...rest } = pattern
  const isForgotten = body !== undefined && request.bodyForgotten
  const compared = isForgotten ? rest : pattern
  const found = differences(comparable(compared), viewOf(request, pattern))
  if (isForgotten) found.push({ path: ['body'], expected: body, received: FORGOTTEN_BODY })
  return found
}

/** A request as a pattern sees it. Its query and its body are read only if the pattern names them. */
function viewOf(request: RequestEntry, { operation: wanted }: RequestPattern): object {
  const { host, method, status, headers, path, query } = request
  // The id alone stands for all of its calls.
  const isId = wanted !== undefined && wanted === operationIdIn(wanted)
  const operation = isId ? request.operation && operationIdIn(request.operation) : request.operation
  return {
    operation,
    host,
    method,
    path,
    status,
    headers,
    get query() {
      return lastOfEach(query)
    },
    get body() {
      return request.body
    },
  }
}

/** The pattern with names of headers in lower case, and its parts in the order of their cost. */
function comparable({ query, headers, body, ...plain }: RequestPattern): object {
  return {
    ...plain,
    ...(query !== undefined && { query }),
    ...(headers !== undefined && { headers: lowerCased(headers) }),
    ...(body !== undefined && { body }),
  }
}

function lowerCased(headers: object): object {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value as unknown]),
  )
}

const FORGOTTEN_BODY = new InWords('a body that is no longer recorded')

/** Returns differences of a request without its secrets. */
export function shownDifferences(
  found: readonly Difference[],
  request: RequestEntry,
): Difference[] {
  const redact = redactionOf(request)
  return found.map(({ path, expected, received }) => {
    if (!isOfSecret(path)) {
      return { path, expected, received: new InWords(redact(shown(received, Infinity))) }
    }
    const hidden = received === undefined ? undefined : ANOTHER_SECRET
    return { path, expected: SECRET, received: hidden }
  })
}

const SECRET = new InWords('a value, not shown')
const ANOTHER_SECRET = new InWords('another value, not shown')

const NAMES_IN: Readonly<Record<string, NamePlace>> = {
  headers: 'header',
  query: 'query',
  body: 'field',
}

/** Whether a value, or the list that it is in, has the name of a secret. */
function isOfSecret([field = '', ...path]: Difference['path']): boolean {
  const place = NAMES_IN[field]
  const name = path.findLast((each) => typeof each === 'string')
  return place !== undefined && name !== undefined && isSecretName(name, place)
}

/** Formats a pattern without its secrets. */
export function formatPattern(pattern: RequestPattern): string {
  const { headers } = pattern
  if (headers === undefined) return shown(pattern, MOST_SHOWN)
  const hidden = Object.entries(headers).map(([name, value]) => {
    return [name, isSecretName(name, 'header') ? /not shown/ : value] as const
  })
  return shown({ ...pattern, headers: Object.fromEntries(hidden) }, MOST_SHOWN)
}

const MOST_SHOWN = 400
