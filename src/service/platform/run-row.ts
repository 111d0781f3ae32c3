import { levelsOf } from '../../base/text/json-scan.js'
import { parseJson } from '../../base/text/json-text.js'
import { MOST_NESTED } from '../../base/text/writable.js'
import { isRecord } from '../contract/pydantic/record.js'

/** Reads a JSON object, such as a line of a history. Undefined if it is none, or if it is too deep to be shown. */
export function rowOf(line: string): Record<string, unknown> | undefined {
  if (hasManyBrackets(line) && levelsOf(line, MOST_NESTED) > MOST_NESTED) return undefined
  const row = parseJson(line)
  return isRecord(row) ? row : undefined
}

/** Programs log thousands of lines, and to count levels takes long. */
function hasManyBrackets(line: string): boolean {
  let count = 0
  for (const bracket of ['{', '[']) {
    for (let at = line.indexOf(bracket); at !== -1; at = line.indexOf(bracket, at + 1)) {
      if (++count > MOST_NESTED) return true
    }
  }
  return false
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
