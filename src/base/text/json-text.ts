import { MOST_NESTED } from './writable.js'

/**
 * `NaN`, `Infinity` or `-Infinity` that the scenario puts into a response. Only `nonFiniteJson` writes the
 * word. `JSON.stringify` writes null.
 */
export class NonFiniteNumber {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }

  toJSON(): null {
    return null
  }
}

/**
 * Formats a value as JSON, but writes a `NonFiniteNumber` as Python does: as a word, which is not valid JSON. It also
 * writes a bigint, in digits.
 */
export function nonFiniteJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof NonFiniteNumber) return String(value.value)
  if (Array.isArray(value)) return `[${value.map(nonFiniteJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${nonFiniteJson(field)}`).join(',')}}`
}

/** Returns the number, or null if it is not finite, or none. */
export function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Whether an error says that a text became longer than the JavaScript engine allows. */
export function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && /string length|string longer/i.test(error.message)
}

/** The longest text of Node in characters, and in words. */
export const MOST_CHARACTERS = 2 ** 29 - 24
export const LONGEST_TEXT = 'about 512 MB'

/** The levels of a longer text are counted before it is parsed: millions of brackets take the engine's parser seconds. */
export const LONG_JSON = 1_000_000
const MOST_LEVELS = 10_000

/** The value of a JSON text. Undefined if it is none, or if a long one has more than 10,000 levels. */
export function parseJson(text: string): unknown {
  if (text.length > LONG_JSON && levelsOf(text, MOST_LEVELS) > MOST_LEVELS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a text is valid JSON. */
export function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}

/** The most that is read of JSON to explain it. A value that is deeper ends the functions that read it. */
export const JSON_BOUNDS = { levels: MOST_NESTED, characters: 1_000_000 } as const

/**
 * The value of a JSON text that is read to explain something. Undefined if it is none, or if it is too long or too deep
 * for that.
 */
export function parseBoundedJson(text: string): unknown {
  if (text.length > JSON_BOUNDS.characters || levelsOf(text) > JSON_BOUNDS.levels) return undefined
  return parseJson(text)
}

/** Says why a text cannot be read as JSON. Completes "The filter …". Undefined if it is. */
export function findJsonProblem(text: string): string | undefined {
  const levels = levelsOf(text)
  if (levels > JSON_BOUNDS.levels) {
    return `has ${levels} levels; at most ${JSON_BOUNDS.levels} are allowed`
  }
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`
  }
}

/** How many lists and objects of a JSON text are inside of each other. It counts no further than one more than `enough`. */
export function levelsOf(text: string, enough = Infinity): number {
  let level = 0
  let most = 0
  for (let at = 0; at < text.length && most <= enough; at++) {
    const sign = text.charCodeAt(at)
    if (sign === QUOTE) at = endOfString(text, at)
    else if (sign === LIST || sign === OBJECT) most = Math.max(most, ++level)
    else if (sign === LIST_END || sign === OBJECT_END) level--
  }
  return most
}

/**
 * Where the quote is that ends a string; the end of the text if there is none. Goes from quote to quote, because most of a
 * text is in strings.
 *
 * @param start Where the string begins, with either kind of quote.
 */
export function endOfString(text: string, start: number): number {
  const quote = text[start]!
  for (let end = text.indexOf(quote, start + 1); end !== -1; end = text.indexOf(quote, end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

const [QUOTE, LIST, LIST_END, OBJECT, OBJECT_END] = [0x22, 0x5b, 0x5d, 0x7b, 0x7d]
