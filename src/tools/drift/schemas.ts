import { isRecord } from '../../service/contract/pydantic/record.js'
import { DriftError, listIn, objectIn, References, type JsonObject } from './document.js'

/** A type of JSON Schema. `any` stands for all of them. */
export type TypeName =
  | 'any'
  | 'null'
  | 'boolean'
  | 'integer'
  | 'number'
  | 'string'
  | 'array'
  | 'object'

/**
 * One form that a value may have. A schema is a list of them: references, `allOf`, `anyOf`, `oneOf`, lists of
 * types and `nullable` are ways of writing such a list.
 */
export interface Alternative {
  readonly type: TypeName
  /** Limits, formats and patterns. */
  readonly limits: JsonObject
  /** All values, if there is a fixed list. */
  readonly values: readonly unknown[] | undefined
  /** The schema of each property. */
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
  /** The schema of properties without a name, or whether there may be any. */
  readonly additional: unknown
  /** The schema of the items of an array. */
  readonly items: unknown
}

const NUMERIC = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'format',
]
const TEXTUAL = [
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'contentEncoding',
  'contentMediaType',
]
const OF_ARRAYS = [
  'minItems',
  'maxItems',
  'uniqueItems',
  'prefixItems',
  'contains',
  'minContains',
  'maxContains',
]
const OF_OBJECTS = [
  'minProperties',
  'maxProperties',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
]
const OF_ALL = ['not', 'if', 'then', 'else']

/** The limits that each type has. */
const LIMITS: Readonly<Record<TypeName, readonly string[]>> = {
  any: [...NUMERIC, ...TEXTUAL, ...OF_ARRAYS, ...OF_OBJECTS, ...OF_ALL],
  null: OF_ALL,
  boolean: OF_ALL,
  integer: [...NUMERIC, ...OF_ALL],
  number: [...NUMERIC, ...OF_ALL],
  string: [...TEXTUAL, ...OF_ALL],
  array: [...OF_ARRAYS, ...OF_ALL],
  object: [...OF_OBJECTS, ...OF_ALL],
}

/** Limits whose value is a schema, or holds some. They are compared as text. */
const WITH_SCHEMAS = new Set([
  ...OF_ALL,
  'prefixItems',
  'contains',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
])

/** Values that mean the same as no limit. */
const NO_LIMIT: JsonObject = {
  minLength: 0,
  minItems: 0,
  minProperties: 0,
  uniqueItems: false,
}

const TYPES = new Set<unknown>([
  'null',
  'boolean',
  'integer',
  'number',
  'string',
  'array',
  'object',
] satisfies TypeName[])

/** The most alternatives of a schema, and the deepest schema. Documents that people use are far below. */
const MOST_ALTERNATIVES = 1000
const DEEPEST = 200

/** Reads the schemas of one document. */
export class Schemas {
  readonly references: References
  readonly #label: string
  readonly #known = new WeakMap<object, readonly Alternative[]>()
  readonly #working = new Set<unknown>()

  constructor(document: unknown, label: string) {
    this.references = new References(document, label)
    this.#label = label
  }

  /**
   * The forms that a value of this schema may have. The same schema gives the same list.
   *
   * @throws {DriftError} When the schema has no end, or too many forms.
   */
  alternatives(schema: unknown): readonly Alternative[] {
    if (schema === false) return []
    if (!isRecord(schema)) return ANYTHING
    const known = this.#known.get(schema)
    if (known) return known
    if (this.#working.has(schema)) {
      throw new DriftError(
        `${this.#label} has a schema that consists of itself: ${nameOf(schema)}.`,
      )
    }
    if (this.#working.size > DEEPEST) throw this.tooDeep()
    this.#working.add(schema)
    const found = this.#read(schema)
    this.#working.delete(schema)
    this.#known.set(schema, found)
    return found
  }

  tooDeep(): DriftError {
    return new DriftError(
      `${this.#label} has schemas that are nested more than ${DEEPEST} levels deep.`,
    )
  }

  /** A fact beside the type, such as `default`: of the schema, or of what it refers to. */
  annotation(schema: unknown, key: string): unknown {
    let found = schema
    for (let depth = 0; depth < DEEPEST && isRecord(found); depth++) {
      if (key in found) return found[key]
      const { $ref: reference, allOf } = found
      if (typeof reference === 'string') found = this.references.find(reference)
      else if (Array.isArray(allOf) && allOf.length === 1) found = allOf[0]
      else return undefined
    }
    return undefined
  }

  #read(schema: JsonObject): readonly Alternative[] {
    const { $ref: reference, allOf, anyOf, oneOf } = schema
    let found = this.#own(schema)
    const parts = [
      ...(typeof reference === 'string' ? [this.references.find(reference)] : []),
      ...listIn(allOf),
    ]
    for (const part of parts) found = this.#cross(found, this.alternatives(part))
    for (const choice of [anyOf, oneOf]) {
      if (!Array.isArray(choice)) continue
      const union = choice.flatMap((each) => this.alternatives(each))
      found = this.#cross(found, union)
    }
    // OpenAPI 3.0.
    const isNullable = schema['nullable'] === true && found.every(({ type }) => type !== 'null')
    return isNullable && !isOpen(found) ? [...found, alternativeOf('null')] : found
  }

  /** What the keywords of the schema itself say. */
  #own(schema: JsonObject): Alternative[] {
    const values = 'const' in schema ? [schema['const']] : schema['enum']
    const listed = Array.isArray(values) ? (values as unknown[]) : undefined
    return typesOf(schema, listed).flatMap((type) => {
      const own = listed?.filter((value) => type === 'any' || hasType(value, type))
      if (own?.length === 0) return []
      return [
        alternativeOf(type, {
          limits: this.#limits(schema, type),
          ...(own !== undefined && type !== 'null' && { values: own }),
          ...(type === 'object' && {
            properties: new Map(Object.entries(objectIn(schema['properties']))),
            required: new Set(listIn(schema['required']).map(String)),
            additional: additionalOf(schema),
          }),
          ...(type === 'array' && { items: schema['items'] ?? true }),
        }),
      ]
    })
  }

  #limits(schema: JsonObject, type: TypeName): JsonObject {
    const limits: Record<string, unknown> = {}
    for (const key of LIMITS[type]) {
      const value = schema[key]
      if (value === undefined || value === NO_LIMIT[key]) continue
      limits[key] = WITH_SCHEMAS.has(key) ? this.#asText(value, 0) : value
    }
    return withPlainBounds(limits, type)
  }

  /** A schema as text, with what its references mean, and without words for people. */
  #asText(value: unknown, depth: number): string {
    if (depth > DEEPEST) throw this.tooDeep()
    if (Array.isArray(value))
      return `[${value.map((each) => this.#asText(each, depth + 1)).join()}]`
    if (!isRecord(value)) return JSON.stringify(value)
    if (typeof value['$ref'] === 'string') {
      // A schema that contains itself has no end as text.
      if (depth > MOST_REFERENCES) return '"…"'
      return this.#asText(this.references.find(value['$ref']), depth + 1)
    }
    const entries = Object.entries(value)
      .filter(([key]) => !WORDS.has(key))
      .sort(([one], [other]) => (one < other ? -1 : 1))
    return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${this.#asText(each, depth + 1)}`).join()}}`
  }

  #cross(these: readonly Alternative[], others: readonly Alternative[]): Alternative[] {
    if (these.length * others.length > MOST_ALTERNATIVES) {
      throw new DriftError(
        `${this.#label} has a schema with more than ${MOST_ALTERNATIVES} alternatives.`,
      )
    }
    return these.flatMap((one) => others.flatMap((other) => combined(one, other) ?? []))
  }
}

const MOST_REFERENCES = 8

/** Keywords for people. */
export const WORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'summary',
  'example',
  'examples',
  'externalDocs',
  '$comment',
])

function nameOf(schema: JsonObject): string {
  const { title, $ref: reference } = schema
  return typeof title === 'string' ? title : JSON.stringify(reference ?? Object.keys(schema))
}

export function isOpen(alternatives: readonly Alternative[]): boolean {
  return alternatives.some(({ type }) => type === 'any')
}

function alternativeOf(type: TypeName, parts: Partial<Alternative> = {}): Alternative {
  return {
    type,
    limits: {},
    values: undefined,
    properties: new Map(),
    required: new Set(),
    additional: true,
    items: true,
    ...parts,
  }
}

const ANYTHING: readonly Alternative[] = [alternativeOf('any')]

function typesOf(schema: JsonObject, values: readonly unknown[] | undefined): TypeName[] {
  const { type } = schema
  const written = (Array.isArray(type) ? type : [type]).filter((each) => TYPES.has(each))
  if (written.length > 0) return [...new Set(written as TypeName[])]
  if (values) {
    const used = new Set(values.map(typeOf))
    // `[1, 2.5]` is a list of numbers.
    if (used.has('number')) used.delete('integer')
    return [...used]
  }
  if ('properties' in schema || 'additionalProperties' in schema || 'required' in schema) {
    return ['object']
  }
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : ['any']
}

/** The type of a JSON value. */
export function typeOf(value: unknown): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as TypeName
}

export function hasType(value: unknown, type: TypeName): boolean {
  const own = typeOf(value)
  return own === type || (own === 'integer' && type === 'number')
}

function additionalOf(schema: JsonObject): unknown {
  const { additionalProperties, unevaluatedProperties } = schema
  const written = additionalProperties ?? unevaluatedProperties ?? true
  return isRecord(written) && Object.keys(written).length === 0 ? true : written
}

/**
 * Bounds in one form. OpenAPI 3.0 writes `exclusiveMinimum: true` beside `minimum`. For an integer, more than 0
 * means at least 1.
 */
function withPlainBounds(limits: Record<string, unknown>, type: TypeName): JsonObject {
  const bounds = [
    ['minimum', 'exclusiveMinimum', 1],
    ['maximum', 'exclusiveMaximum', -1],
  ] as const
  const plain = { ...limits }
  for (const [inclusive, exclusive, step] of bounds) {
    const { [inclusive]: bound, [exclusive]: above } = plain
    if (typeof above === 'boolean') {
      delete plain[exclusive]
      if (above && bound !== undefined) {
        delete plain[inclusive]
        plain[exclusive] = bound
      }
    }
    const strict = plain[exclusive]
    if (type === 'integer' && Number.isInteger(strict) && plain[inclusive] === undefined) {
      delete plain[exclusive]
      plain[inclusive] = (strict as number) + step
    }
  }
  return plain
}

/** What fits both. Undefined: nothing does. */
function combined(one: Alternative, other: Alternative): Alternative | undefined {
  const type = commonType(one.type, other.type)
  if (type === undefined) return undefined
  if (one === ANYTHING[0]) return other
  if (other === ANYTHING[0]) return one
  const values = commonValues(one.values, other.values)
  if (values?.length === 0) return undefined
  return {
    type,
    limits: tighter(one.limits, other.limits),
    values,
    properties: together(one.properties, other.properties),
    required: new Set([...one.required, ...other.required]),
    additional: both(one.additional, other.additional),
    items: both(one.items, other.items),
  }
}

function commonType(one: TypeName, other: TypeName): TypeName | undefined {
  if (one === other || other === 'any') return one
  if (one === 'any') return other
  const isNumeric = (type: TypeName): boolean => type === 'integer' || type === 'number'
  return isNumeric(one) && isNumeric(other) ? 'integer' : undefined
}

function commonValues(
  one: readonly unknown[] | undefined,
  other: readonly unknown[] | undefined,
): readonly unknown[] | undefined {
  if (!one || !other) return one ?? other
  const texts = new Set(other.map((value) => JSON.stringify(value)))
  return one.filter((value) => texts.has(JSON.stringify(value)))
}

function tighter(one: JsonObject, other: JsonObject): JsonObject {
  const limits: Record<string, unknown> = { ...one, ...other }
  for (const key of Object.keys(limits)) {
    const [first, second] = [one[key], other[key]]
    if (typeof first !== 'number' || typeof second !== 'number') continue
    if (isLowerBound(key)) limits[key] = Math.max(first, second)
    if (isUpperBound(key)) limits[key] = Math.min(first, second)
  }
  return limits
}

export function isLowerBound(limit: string): boolean {
  return /^(?:min|exclusiveMin)/.test(limit)
}

export function isUpperBound(limit: string): boolean {
  return /^(?:max|exclusiveMax)/.test(limit)
}

function together(
  one: ReadonlyMap<string, unknown>,
  other: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, unknown> {
  const properties = new Map(one)
  for (const [name, schema] of other) {
    properties.set(name, properties.has(name) ? both(properties.get(name), schema) : schema)
  }
  return properties
}

function both(one: unknown, other: unknown): unknown {
  if (one === other || other === true) return one
  if (one === true) return other
  if (one === false || other === false) return false
  return { allOf: [one, other] }
}
