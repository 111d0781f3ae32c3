import { levelsOf } from './json-scan.js'
import { MOST_NESTED } from './writable.js'

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

/** The value of a JSON text. Of another text, the text itself. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text)
  return value === undefined ? text : value
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
