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

/** Returns the number, or null if it is not finite. */
export function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null
}

/** Whether an error says that a text became longer than the JavaScript engine allows. */
export function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && /string length|string longer/i.test(error.message)
}

/** The longest text, in words. Node allows about 2^29 characters. */
export const LONGEST_TEXT = 'about 512 MB'

/** The value of a JSON text. Undefined if it is none. */
export function parseJson(text: string): unknown {
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
