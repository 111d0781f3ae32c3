// Why a call was refused, in words, for the journal. The bodies of refusals are those of the service, and say less.
import { WholeFloat } from '../contract/pydantic/exact.js'
import { firstOf } from '../../base/text/counted.js'
import { nearest } from '../../base/text/nearest.js'
import { isObject } from '../../base/text/options.js'
import { isScheme } from '../../base/text/redaction/credentials.js'
import type { ApiRequest } from '../contract/exchange.js'
import type { Problem } from '../contract/pydantic/problem.js'
import { keyOf, keyOrPasswordOf } from './authenticate.js'
import type { Operation } from './operation.js'

/** Headers in which other services take a key. */
const OTHER_HEADERS = ['x-api-key', 'api-key', 'x-auth-token']

/** Says what is wrong with the key of a call that was refused because of it. Quotes no part of the header. */
export function keyHint({ headers }: ApiRequest, { auth }: Pick<Operation, 'auth'>): string {
  const { authorization: header } = headers
  if (header === undefined) {
    const other = OTHER_HEADERS.find((name) => headers[name] !== undefined)
    const elsewhere = other === undefined ? '' : `; the header ${other} is not read`
    return `the call has no header Authorization${elsewhere}`
  }
  const [first = '', ...rest] = header.trim().split(/\s+/)
  if (first === '') return 'the header Authorization is empty'
  const send = 'send "Bearer <key>"'
  const takesPassword = auth === 'platform'
  const key = takesPassword ? keyOrPasswordOf(header) : keyOf(header)
  if (key !== undefined) {
    return 'the key in the header Authorization is neither in auth.keys of the scenario nor an --api-key (apiKeys in code)'
  }
  const isTaken = takesPassword ? /^(?:bearer|basic)$/i : /^bearer$/i
  if (isTaken.test(first)) return `the header Authorization has no key; ${send}`
  if (rest.length === 0)
    return `the header Authorization has a word alone, without a scheme; ${send}`
  const scheme = isScheme(first) ? `the scheme ${first}` : 'another scheme'
  return `the header Authorization has ${scheme}, and Bearer is needed; ${send}`
}

/** How many problems a hint names, and how many missing fields. */
const MOST_NAMED = 10
/** How many keys of a body are compared with one that is missing. */
const MOST_KEYS = 50

/**
 * Says of an input that was refused what its detail does not. Quotes no values: they may be long, or secret. Undefined
 * if there is nothing more to say.
 */
export function inputHint(problems: readonly Problem[]): string | undefined {
  const missing = problems.filter(({ type, loc }) => type === 'missing' && loc.length > 1)
  const places = missing.map(({ loc }) => loc.slice(1).join('.'))
  const lines = [
    ...problems.flatMap((problem) => problemInWords(problem) ?? []),
    // The detail names the first one.
    ...(places.length > 1 ? [`missing: ${firstOf(places, MOST_NAMED)}`] : []),
  ]
  return lines.length === 0 ? undefined : firstOf(lines, MOST_NAMED, '; ')
}

function problemInWords({ type, loc, input, ctx }: Problem): string | undefined {
  const [where, ...path] = loc
  if (type === 'json_invalid') {
    return `the body is not JSON: ${String(ctx?.['error'])} at character ${Number(path[0]) + 1}`
  }
  const isWhole = path.length === 0
  if (isWhole && where === 'body' && typeof input === 'string') {
    return 'the body is a text and not an object; send it with the content type application/json'
  }
  const place = isWhole ? `the ${where}` : path.join('.')
  if (type !== 'missing') return `${place} is ${kindInWords(input)}`
  const key = similarKey(String(path.at(-1)), input)
  return key === undefined ? undefined : `${place} is missing (did you mean it with "${key}"?)`
}

/** The key of an object that may be meant for one that is missing. */
function similarKey(name: string, input: unknown): string | undefined {
  return isObject(input) ? nearest(name, Object.keys(input).slice(0, MOST_KEYS)) : undefined
}

function kindInWords(input: unknown): string {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'an array'
  if (typeof input === 'string') return 'a text'
  if (typeof input === 'bigint' || input instanceof WholeFloat) return 'a number'
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`
}
