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

/** How deep a value is shown. One of a client may be deeper than the stack, and one of a test may have itself in it. */
const DEEPEST = 8

function format(value: unknown, depth = 0): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return `what satisfies ${value.name || String(value)}`
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'symbol') return String(value)
  if (typeof value !== 'object' || value === null) return `${value as Plain}`
  if (value instanceof InWords) return value.words
  if (isPromise(value)) return 'a promise'
  if ('asymmetricMatch' in value) return matcherName(value)
  if (depth === DEEPEST) return '…'
  if (Array.isArray(value)) return `[${value.map((each) => format(each, depth + 1)).join(', ')}]`
  if (value instanceof RegExp || isDate(value)) return String(value)
  // A map or a set has no fields that say what it is.
  const kind = Object.prototype.toString.call(value)
  if (kind !== '[object Object]') return kind
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${format(field, depth + 1)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

type Plain = number | bigint | boolean | null

/** Formats an asymmetric matcher as test runners do: `Any<String>`. */
function matcherName(matcher: object): string {
  const named = matcher as { toAsymmetricMatcher?: () => string }
  return named.toAsymmetricMatcher?.() ?? 'what a matcher accepts'
}
