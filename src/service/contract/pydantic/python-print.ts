import { keysOf, WholeFloat } from './exact.js'
import { hasHalf, pythonFloat } from './python-text.js'

/** A value that the framework cannot write into a JSON answer. */
export class Unprintable extends Error {
  /** The value, in words: `NaN`. */
  readonly what: string

  constructor(what: string) {
    super(`The framework cannot print ${what}.`)
    this.what = what
  }
}

/**
 * Writes a value as the framework writes the detail of a 422: see docs/explain/contract.md#exact-values.
 *
 * @throws {Unprintable} When it has NaN, an infinite number, or a half of a surrogate pair.
 */
export function printDetail(value: unknown): string {
  if (typeof value === 'string') return printText(value)
  if (typeof value === 'number') return printNumber(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof WholeFloat) return pythonFloat(value.value)
  if (Array.isArray(value)) return `[${value.map(printDetail).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const record = value as Readonly<Record<string, unknown>>
  const fields: string[] = []
  for (const key of keysOf(record)) {
    // The encoder of the framework leaves out keys of SQLAlchemy.
    if (key.startsWith('_sa') || record[key] === undefined) continue
    fields.push(`${printText(key)}:${printDetail(record[key])}`)
  }
  return `{${fields.join(',')}}`
}

function printText(text: string): string {
  if (hasHalf(text)) throw new Unprintable('half of a surrogate pair')
  return JSON.stringify(text)
}

function printNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Unprintable(String(value))
  return Number.isInteger(value) ? String(BigInt(value)) : pythonFloat(value)
}
