import { titleOf } from './python-text.js'
import type { Components, JsonSchema, Schema } from './schema.js'

/** Notes on a field for the OpenAPI document. */
export interface Notes {
  title?: string
  description?: string
  examples?: readonly unknown[]
}

export type Presence = 'required' | 'optional' | 'assumed' | 'defaulted'

export interface Field<out T, P extends Presence> {
  readonly schema: Schema<T>
  readonly presence: P
  readonly makeDefault?: () => T
  readonly notes: Notes
  /** Whether the OpenAPI document has the field. Default: it has. */
  readonly documented?: boolean
}

export type AnyField = Schema<unknown> | Field<unknown, Presence>
export type Fields = Record<string, AnyField>

export type FieldValue<F> =
  F extends Field<infer T, Presence> ? T : F extends Schema<infer T> ? T : never

type OptionalKeys<F> = {
  [K in keyof F]: F[K] extends Field<unknown, 'optional' | 'assumed'> ? K : never
}[keyof F]

/** The type of the value that a set of fields gives. */
export type Shape<F> = {
  [K in keyof F as K extends OptionalKeys<F> ? never : K]: FieldValue<F[K]>
} & { [K in OptionalKeys<F>]?: FieldValue<F[K]> }

/** A required field with notes. A schema alone is a required field without notes. */
export function required<T>(schema: Schema<T>, notes: Notes = {}): Field<T, 'required'> {
  return { schema, presence: 'required', notes }
}

/** An optional field without a default. */
export function optional<T>(schema: Schema<T>, notes: Notes = {}): Field<T, 'optional'> {
  return { schema, presence: 'optional', notes }
}

/** An optional field with a default. */
export function defaulted<T, D extends T>(
  schema: Schema<T>,
  makeDefault: () => D,
  notes: Notes = {},
): Field<T, 'defaulted'> {
  return { schema, presence: 'defaulted', makeDefault, notes }
}

/**
 * An optional field whose default is only documented. Code that reads the field uses the default if it is missing.
 * So large inputs are not copied only to add fields that nobody reads.
 */
export function assumed<T, D extends T>(
  schema: Schema<T>,
  makeDefault: () => D,
  notes: Notes = {},
): Field<T, 'assumed'> {
  return { schema, presence: 'assumed', makeDefault, notes }
}

/** Fields that an answer has, and that the OpenAPI document leaves out, because the service documents none of them. */
export function undocumented<F extends Fields>(fields: F): F {
  const hidden = Object.entries(fields).map(([key, field]) => {
    return [key, { ...asField(field), documented: false }]
  })
  return Object.fromEntries(hidden) as F
}

/** A schema alone is a required field. */
export function asField(field: AnyField): Field<unknown, Presence> {
  return 'presence' in field ? field : required(field)
}

/** A field, prepared for reading records. */
export interface PreparedField {
  key: string
  schema: Schema<unknown>
  required: boolean
  /** Makes the default value, if there is one. */
  makeDefault: (() => unknown) | undefined
  /** The default in the OpenAPI document. */
  shownDefault: (() => unknown) | undefined
  notes: Notes
  documented: boolean
}

/** The fields of a record, prepared for reading. */
export interface RecordFields {
  readonly all: readonly PreparedField[]
  readonly byKey: ReadonlyMap<string, PreparedField>
  readonly requiredCount: number
  readonly defaultedCount: number
  readonly extra: Extra
}

/** What happens to unknown keys, in the words of pydantic. Default: `ignore`. */
export type Extra = 'ignore' | 'allow' | 'forbid'

export function prepare(fields: Fields): PreparedField[] {
  return Object.entries(fields).map(([key, field]) => {
    const { schema, presence, makeDefault: shownDefault, notes, documented = true } = asField(field)
    const makeDefault = presence === 'defaulted' ? shownDefault : undefined
    const isRequired = presence === 'required'
    return { key, schema, required: isRequired, makeDefault, shownDefault, notes, documented }
  })
}

export function prepareRecord(fields: Fields, extra: Extra = 'ignore'): RecordFields {
  const all = prepare(fields)
  return {
    all,
    byKey: new Map(all.map((field) => [field.key, field])),
    requiredCount: all.filter((field) => field.required).length,
    defaultedCount: all.filter((field) => field.makeDefault).length,
    extra,
  }
}

/** Describes a field for the OpenAPI document: its schema and its notes. */
export function describeField(field: PreparedField, components: Components): JsonSchema {
  const { schema, notes, shownDefault } = field
  const described = schema.describe(components)
  const value = shownDefault?.()
  return {
    ...described,
    ...(!schema.named && { title: notes.title ?? titleOf(field.key) }),
    ...(notes.description !== undefined && { description: notes.description }),
    // The framework leaves defaults of null out of its document.
    ...(value !== undefined && value !== null && { default: value }),
    ...(notes.examples && { examples: [...notes.examples] }),
  }
}
