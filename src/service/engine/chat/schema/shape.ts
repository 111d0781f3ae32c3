import type { Pattern } from './pattern.js'

/** The kinds of JSON values, as bits of a set. `INTEGER` and `FRACTION` together are the numbers. */
export const NULL = 1
export const BOOLEAN = 2
export const INTEGER = 4
export const FRACTION = 8
export const STRING = 16
export const ARRAY = 32
export const OBJECT = 64
export const ANY = 127

/** Returns the bit of a value's kind. */
export function kindOf(value: unknown): number {
  if (value === null) return NULL
  if (typeof value === 'boolean') return BOOLEAN
  if (typeof value === 'number') return Number.isInteger(value) ? INTEGER : FRACTION
  if (typeof value === 'string') return STRING
  return Array.isArray(value) ? ARRAY : OBJECT
}

/**
 * A parsed JSON Schema. References are links to other shapes, so shapes may form cycles. A keyword whose value has
 * the wrong type is left out.
 */
export class Shape {
  /** The path from the root schema, such as `.properties.name` or `.allOf[0]`. Empty for the root. */
  readonly path: string

  /** Whether the schema is `false`, so that no value matches. */
  never = false
  types = ANY

  ref: Shape | undefined
  reference = ''
  allOf: readonly Shape[] = []
  anyOf: readonly Shape[] | undefined
  oneOf: readonly Shape[] | undefined
  not: Shape | undefined
  if: Shape | undefined
  /** `then` and `else`. */
  ifSo: Shape | undefined
  ifNot: Shape | undefined

  /** `enum` and `const`: the value must be in each of the lists. */
  lists: readonly EnumValues[] = []

  minimum = -Infinity
  maximum = Infinity
  exclusiveMinimum = -Infinity
  exclusiveMaximum = Infinity
  multipleOf: number | undefined

  minLength = 0
  maxLength = Infinity
  pattern: Pattern | undefined
  format: string | undefined

  minItems = 0
  maxItems = Infinity
  uniqueItems = false
  prefix: readonly Shape[] = []
  items: Shape | undefined
  contains: Shape | undefined
  minContains = 1
  maxContains = Infinity
  unevaluatedItems: Shape | undefined

  minProperties = 0
  maxProperties = Infinity
  required: readonly string[] = []
  properties: ReadonlyMap<string, Shape> = NONE
  patternProperties: readonly { pattern: Pattern; shape: Shape }[] = []
  additional: Shape | undefined
  unevaluatedProperties: Shape | undefined
  propertyNames: Shape | undefined
  dependentRequired: ReadonlyMap<string, readonly string[]> = new Map()
  dependentSchemas: ReadonlyMap<string, Shape> = NONE

  /** The kinds of finite values that may match. No kind: no value matches. */
  possible = 0
  /** The order in which a first possible kind was found. A schema comes after the schemas that it needs. */
  rank = Infinity

  constructor(path: string) {
    this.path = path
  }

  /** Whether numbers have a limit. */
  get isBounded(): boolean {
    const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = this
    return Math.max(minimum, exclusiveMinimum, -maximum, -exclusiveMaximum) > -Infinity
  }

  /** The schemas that apply to the same value. */
  get inPlace(): Shape[] {
    const { ref, allOf, anyOf = [], oneOf = [], not, dependentSchemas } = this
    const single = [ref, not, this.if, this.ifSo, this.ifNot].filter((each) => each !== undefined)
    return [...single, ...allOf, ...anyOf, ...oneOf, ...dependentSchemas.values()]
  }

  /** The schemas that apply to a part of the value. */
  get inside(): Shape[] {
    const { items, contains, additional, propertyNames, prefix, properties } = this
    const { unevaluatedItems, unevaluatedProperties, patternProperties } = this
    const single = [items, contains, additional, propertyNames]
    return [
      ...[...single, unevaluatedItems, unevaluatedProperties].filter((each) => each !== undefined),
      ...prefix,
      ...properties.values(),
      ...patternProperties.map(({ shape }) => shape),
    ]
  }
}

const NONE: ReadonlyMap<string, Shape> = new Map()

/** The values of an `enum`. */
export interface EnumValues {
  values: readonly unknown[]
  texts: ReadonlySet<string>
}

/** Formats a value as JSON with sorted keys. Two values are equal if their texts are equal. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}
