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
 * writes a bigint, in digits. Undefined is null, as in a list of `JSON.stringify`.
 */
export function nonFiniteJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof NonFiniteNumber) return String(value.value)
  if (Array.isArray(value)) return `[${value.map(nonFiniteJson).join(',')}]`
  if (value === undefined) return 'null'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${nonFiniteJson(field)}`).join(',')}}`
}

/** Returns the number, or null if it is not finite, or none. */
export function finite(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
