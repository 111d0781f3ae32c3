import type { ComponentChildren } from 'preact'
import { fieldKindOf, placesIn, schemaAt, type JsonSchema } from './json-schema.js'

/** What a form says about a field beside its schema. */
export interface FormField {
  /** Where the value is in what the form writes: `signature.header`. */
  place: string
  /** Default: the last name of the place. */
  label?: string
  /** Default: the description of the schema. Null: none. */
  hint?: ComponentChildren
  /** Shown while the field is empty. Default: what the schema says. */
  example?: string
  /** Whether the field has all of the width. Default: if its value is JSON. */
  wide?: boolean
  type?: 'password'
  /** Whether white space at the ends belongs to the value. */
  exact?: boolean
  /** Whether the value is written as JSON, whatever the schema says. */
  json?: boolean
  /** Values to complete. */
  known?: readonly string[]
  /** How many lines the field has. */
  rows?: number
  /** Whether the value is a sentence, and not code. */
  prose?: boolean
  /** Whether the user can't change the value. */
  fixed?: boolean
  /** Whether the field has the focus when the form appears. */
  focus?: boolean
}

/** What the fields of an object write. A field without a value is not there. */
export type Values = Readonly<Record<string, unknown>>

export interface FieldRule {
  schema: JsonSchema
  required: boolean
  /** Whether the field begins with its first word: it is required, and nothing stands for no word. */
  isChosen: boolean
}

/** What the schema says about a field. */
export function ruleOf(whole: JsonSchema, { place, example }: FormField): FieldRule {
  const schema = schemaAt(whole, place)
  const outer = place.includes('.') ? schemaAt(whole, place.replace(/\.[^.]+$/, '')) : whole
  const required = outer.required?.includes(fieldName(place)) ?? false
  return { schema, required, isChosen: required && schema.enum !== undefined && !example }
}

/** The last name of a place. */
export function fieldName(place: string): string {
  return place.split('.').at(-1)!
}

/** Whether a place is this one, or a part of it. */
export function isInside(place: string, whole: string): boolean {
  return place === whole || (place.startsWith(whole) && /^[.[]/.test(place.slice(whole.length)))
}

/** All fields of an object. */
export function fieldsOf({ properties = {} }: JsonSchema): FormField[] {
  return Object.keys(properties).map((place) => ({ place }))
}

/** The fields of a schema that are not among these. Objects that are taken apart stay so. */
export function otherFields(schema: JsonSchema, fields: readonly FormField[]): FormField[] {
  const isThere = (place: string): boolean =>
    fields.some((field) => isInside(place, field.place) || isInside(field.place, place))
  const whole = fieldsOf(schema).filter(({ place }) => !isThere(place))
  const parts = placesIn(schema).filter(
    (place) => place.includes('.') && !whole.some((outer) => isInside(place, outer.place)),
  )
  const missing = parts.filter((place) => !fields.some((field) => isInside(place, field.place)))
  return [...whole, ...missing.map((place) => ({ place, label: place }))]
}

/** The value of a field: what was written, or the word with which it begins. */
export function valueOf(whole: JsonSchema, field: FormField, values: Values): unknown {
  const { schema, isChosen } = ruleOf(whole, field)
  return valueAt(values, field.place) ?? (isChosen ? schema.enum?.[0] : undefined)
}

function valueAt(values: Values, place: string): unknown {
  return place.split('.').reduce<unknown>((part, name) => recordOf(part)[name], values)
}

/** The values with another one at a place. Undefined: without one. */
export function withValue(values: Values, place: string, value: unknown): Values {
  const [name = '', ...inner] = place.split('.')
  const { [name]: before, ...others } = values
  const next = inner.length === 0 ? value : withValue(recordOf(before), inner.join('.'), value)
  const isGone = next === undefined || (inner.length > 0 && isEmpty(next))
  return isGone ? others : { ...others, [name]: next }
}

/** What the fields write. Other values are left out. */
export function enteredIn(
  fields: readonly FormField[],
  schema: JsonSchema,
  values: Values,
): Record<string, unknown> {
  return fields.reduce<Record<string, unknown>>((written, field) => {
    const value = valueOf(schema, field, values)
    if (typeof value !== 'string' || field.exact) return withValue(written, field.place, value)
    const isBlank = /^\s+$/.test(value)
    return withValue(written, field.place, isBlank ? undefined : value.trim())
  }, {})
}

/**
 * The same, for a call.
 *
 * @throws {FieldError} When a text is not JSON of the kind that the field needs.
 */
export function bodyOf(
  fields: readonly FormField[],
  schema: JsonSchema,
  values: Values,
): Record<string, unknown> {
  for (const field of fields) {
    const part = schemaAt(schema, field.place)
    if (!field.json && fieldKindOf(part).kind !== 'json') continue
    checkJson(valueOf(schema, field, values), field.place, part.type)
  }
  return enteredIn(fields, schema, values)
}

/** Checks what was written as JSON. What cannot be read as JSON is a text. */
function checkJson(value: unknown, place: string, type: string | undefined): void {
  if (value === undefined || (typeof value === 'string' && value.trim() === '')) return
  if (typeof value === 'string') {
    try {
      JSON.parse(value)
    } catch (error) {
      throw new FieldError(place, `This is not JSON: ${(error as Error).message}.`)
    }
  }
  if (type === 'array' && !Array.isArray(value)) {
    throw new FieldError(place, 'A JSON list is expected. Write it like [{ … }].')
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if ((type === 'object' || typeof value === 'string') && !isObject) {
    throw new FieldError(place, 'A JSON object is expected. Write it like { "key": "value" }.')
  }
}

/** Thrown when the text of a field can't be read. The message begins with the place of the field. */
export class FieldError extends Error {
  readonly place: string
  /** What is wrong, for a reader who sees the field. */
  readonly reason: string
  constructor(place: string, reason: string) {
    super(`${place}: ${reason}`)
    this.place = place
    this.reason = reason
  }
}

/** What a form begins with, to change an object. What is empty in the object has no value. */
export function valuesOf(object: object, { properties = {} }: JsonSchema): Values {
  const known = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    const part = properties[name]
    if (part === undefined || value === null || isEmpty(value)) return []
    return [[name, part.properties ? valuesOf(value as object, part) : value]]
  })
  return Object.fromEntries(known)
}

export function recordOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {}
}

/** Whether nothing is set: no value, or an object or a list without any. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}

/** A schema whose fields offer these values. */
export function offering(
  schema: JsonSchema,
  choices: Readonly<Record<string, readonly string[]>>,
): JsonSchema {
  const offered = Object.entries(choices).map(([name, values]) => {
    return [name, { ...schema.properties?.[name], type: 'string', enum: values }] as const
  })
  return { ...schema, properties: { ...schema.properties, ...Object.fromEntries(offered) } }
}
