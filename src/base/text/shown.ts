import { shortened } from './shortened.js'
import { isDate, isPromise } from './options.js'

/** What messages say of a value that they cannot show. */
export class InWords {
  readonly words: string

  constructor(words: string) {
    this.words = words
  }
}

/** Formats a value in at most `most` characters, for the message of a failing test. */
export function shown(value: unknown, most = 160): string {
  return shortened(format(value), most)
}

function format(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return `what satisfies ${value.name || String(value)}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return `${value as Plain}`
  if (value instanceof InWords) return value.words
  if (isPromise(value)) return 'a promise'
  if ('asymmetricMatch' in value) return matcherName(value)
  if (Array.isArray(value)) return `[${value.map(format).join(', ')}]`
  if (value instanceof RegExp || isDate(value)) return String(value)
  // A map or a set has no fields that say what it is.
  const kind = Object.prototype.toString.call(value)
  if (kind !== '[object Object]') return kind
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${format(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

type Plain = number | bigint | boolean | null

/** Formats an asymmetric matcher as test runners do: `Any<String>`. */
function matcherName(matcher: object): string {
  const named = matcher as { toAsymmetricMatcher?: () => string }
  return named.toAsymmetricMatcher?.() ?? 'what a matcher accepts'
}
