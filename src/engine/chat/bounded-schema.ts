import { isRecord } from '../../contract/validation/own-property.js'
import type { JsonSchema } from './asked.js'
import { findPatternProblem } from './pattern.js'

/** So many values, and so many hundreds of characters, a drawn value has at most. */
const MOST_PARTS = 1000
/** Of what is defined apart, and may be referred to again and again. */
const MOST_OF_DEFINITION = 10
const CHARACTERS = 100
const LONGEST_PATTERN = 1000

/**
 * The schema with its sizes cut down to what can be drawn at once, for clients write it: of a list of
 * a billion, each of a billion, nothing would ever come. Expressions stay where they are RE2's, which
 * none can hang; those on keys go, as the libraries hold them against keys with the language's own.
 */
export function boundedSchema(schema: JsonSchema): JsonSchema {
  return bound(schema, MOST_PARTS) as JsonSchema
}

/** The same without expressions, for whoever would check them with the language's own. */
export function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns)
  if (!isRecord(schema)) return schema
  const kept = Object.entries(schema).filter(([key, value]) => {
    return key !== 'pattern' || typeof value !== 'string'
  })
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutPatterns(value)]))
}

function bound(schema: unknown, parts: number): unknown {
  if (!isRecord(schema)) return schema
  const items = Math.min(parts, largest(schema, ['minItems', 'maxItems', 'minContains']))
  const inItems = Math.floor(parts / Math.max(1, items))
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'patternProperties' || key === 'propertyNames') return []
    if (key === 'pattern' && !isPlain(value)) return []
    if (typeof value === 'number' && key.endsWith('Length')) {
      return [[key, Math.min(value, parts * CHARACTERS)]]
    }
    if (typeof value === 'number' && COUNTS.has(key)) return [[key, Math.min(value, parts)]]
    if (Array.isArray(value) && LISTS.has(key)) return [[key, value.slice(0, MOST_PARTS)]]
    if (SUBSCHEMAS.has(key)) return [[key, boundAll(value, inItems)]]
    if (DEFINITIONS.has(key)) return [[key, boundEach(value, MOST_OF_DEFINITION)]]
    if (key === 'properties') return [[key, boundEach(value, share(parts, value))]]
    return [[key, value]]
  })
  return Object.fromEntries(entries)
}

const COUNTS: ReadonlySet<string> = new Set(
  ['Items', 'Contains', 'Properties'].flatMap((what) => [`min${what}`, `max${what}`]),
)
const LISTS: ReadonlySet<string> = new Set(['enum', 'required', 'examples'])
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
const SUBSCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'additionalProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
])

function boundAll(value: unknown, parts: number): unknown {
  if (!Array.isArray(value)) return bound(value, parts)
  const each = share(parts, value)
  return value.slice(0, Math.max(1, parts)).map((schema) => bound(schema, each))
}

function boundEach(value: unknown, parts: number): unknown {
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, bound(each, parts)]))
}

function share(parts: number, among: unknown): number {
  return Math.floor(parts / Math.max(1, Object.keys(Object(among) as object).length))
}

function largest(schema: Readonly<Record<string, unknown>>, keys: readonly string[]): number {
  return Math.max(1, ...keys.map((key) => Number(schema[key]) || 0))
}

function isPlain(pattern: unknown): boolean {
  if (typeof pattern !== 'string' || pattern.length > LONGEST_PATTERN) return false
  return findPatternProblem(pattern) === undefined
}
