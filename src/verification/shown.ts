const LONGEST = 160

/** A value in few words, for the message of a failing test. */
export function shown(value: unknown): string {
  const text = written(value)
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`
}

function written(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return `what satisfies ${value.name || String(value)}`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  if (value instanceof RegExp) return String(value)
  if ('asymmetricMatch' in value) return matcherName(value)
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  const fields = Object.entries(value).map(([key, field]) => `${key}: ${written(field)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

/** As the runners themselves print theirs: `Any<String>`. */
function matcherName(matcher: object): string {
  const { toAsymmetricMatcher } = matcher as { toAsymmetricMatcher?: () => string }
  return toAsymmetricMatcher?.call(matcher) ?? String(matcher)
}
