import { parseJson } from '../../base/text/json-text.js'
import { isRecord } from '../contract/pydantic/record.js'

/** Reads a JSON object, such as a line of a history. Undefined if it is none. */
export function rowOf(line: string): Record<string, unknown> | undefined {
  const row = parseJson(line)
  return isRecord(row) ? row : undefined
}

/**
 * What a program logged in a row, or set in a summary, by name. An object in it has its values under names such as
 * `loss.policy`. Names that begin with an underscore are left out: the SDK adds them.
 */
export function metricsIn(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const add = (name: string, value: unknown): void => {
    // Media, such as a histogram, has a type of its own, and stays as it is.
    if (!isRecord(value) || '_type' in value) values[name] = value
    else for (const [key, each] of Object.entries(value)) add(`${name}.${key}`, each)
  }
  for (const [name, value] of Object.entries(row)) if (!name.startsWith('_')) add(name, value)
  return values
}

/** Returns the number in a value of a row: the SDK writes one that is not finite as a text. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && NOT_FINITE.has(value) ? Number(value) : undefined
}

const NOT_FINITE = new Set(['NaN', 'Infinity', '-Infinity'])
