// The framework trims Unicode white space. Unlike trim in JavaScript, this includes U+0085 and excludes U+FEFF.
const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const IS_SPACE = new RegExp(SPACE)

export function trimSpace(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && IS_SPACE.test(text[start]!)) start++
  while (end > start && IS_SPACE.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

const HALF = /\p{Surrogate}/u

/** Whether a text has a half of a surrogate pair that stands alone. */
export function hasHalf(text: string): boolean {
  return HALF.test(text)
}

/** Returns the title that the framework gives to a field: `Base Model` for `base_model`. */
export function titleOf(name: string): string {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/[A-Za-z]+/g, (word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase())
    .trim()
}

/** Formats alternatives as the framework does: `'a', 'b' or 'c'`. */
export function alternatives(values: readonly string[]): string {
  const quoted = values.map((value) => `'${value}'`)
  const last = quoted.pop()!
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`
}

/** Returns the words in a text of `alternatives`, if none of them has a quote. */
export function wordsIn(listed: string): string[] {
  return [...listed.matchAll(/'([^']*)'/g)].map(([, word]) => word!)
}

/** Formats a number as Python formats a float: `3.0`, `1e+16`, `1e-05`. */
export function pythonFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const size = Math.abs(value)
  // Python and JavaScript write the same digits, and choose exponents from different sizes on.
  if (size >= 1e16 || size < 1e-4) return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2')
  const text = String(value)
  return text.includes('.') ? text : `${text}.0`
}

const ESCAPES: Readonly<Record<string, string>> = {
  ' ': ' ',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

export function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  // Everything that Python does not count as printable.
  const escaped = text.replaceAll(/[\\\p{C}\p{Z}]/gu, (each) => ESCAPES[each] ?? escapeCode(each))
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark
}

function escapeCode(character: string): string {
  const hex = character.codePointAt(0)!.toString(16)
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`
}
