import { setOwn } from './record.js'
import { keysOf } from './exact.js'
import { hasHalf, titleOf } from './python-text.js'
import { INVALID, type Invalid, type Reader } from './reader.js'
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

/**
 * Reads the fields of an object. Returns the input itself if nothing in it had to change.
 *
 * The quiet pass loops over the keys of the object. This is several times faster than to look up each field,
 * because most fields are usually missing. The pass that reports problems loops over the fields, because the
 * framework reports problems in the order of the fields.
 */
export function readFields(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): Record<string, unknown> | Invalid {
  return reader.quiet ? checkFields(record, input, reader) : reportFields(record, input, reader)
}

function checkFields(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): Record<string, unknown> | Invalid {
  let requiredCount = 0
  let defaultedCount = 0
  let count = 0
  let hasExtra = false
  let changes: Map<string, unknown> | undefined
  // In a server on Node 24, `for … in` halves the number of jobs that are accepted per second.
  for (const key of Object.keys(input)) {
    const field = record.byKey.get(key)
    const raw = input[key]
    if (field === undefined && record.extra !== 'ignore' && !isAllowed(key, record.extra))
      return INVALID
    if (field === undefined || raw === undefined) {
      hasExtra = true
      continue
    }
    const value = field.schema.read(raw, reader)
    if (value === INVALID) return INVALID
    count++
    if (field.required) requiredCount++
    else if (field.makeDefault) defaultedCount++
    if (value !== raw) (changes ??= new Map()).set(key, value)
  }
  if (requiredCount < record.requiredCount) return INVALID
  reader.countFields(count)
  const isComplete = defaultedCount === record.defaultedCount
  if (isComplete && !changes && (record.extra === 'allow' || !hasExtra)) return input
  return rebuild(record, input, changes)
}

/** Whether an unknown key may stay. The framework keeps no key with a half of a surrogate pair. */
function isAllowed(key: string, extra: 'allow' | 'forbid'): boolean {
  return extra === 'allow' && !hasHalf(key)
}

function rebuild(
  record: RecordFields,
  input: Record<string, unknown>,
  changes: ReadonlyMap<string, unknown> | undefined,
): Record<string, unknown> {
  const output: Record<string, unknown> = {}
  for (const { key, makeDefault } of record.all) {
    if (changes?.has(key)) output[key] = changes.get(key)
    else if (input[key] !== undefined) output[key] = input[key]
    else if (makeDefault) output[key] = makeDefault()
  }
  if (record.extra === 'allow')
    for (const key of Object.keys(input))
      if (!record.byKey.has(key)) setOwn(output, key, input[key])
  return output
}

function reportFields(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): Record<string, unknown> | Invalid {
  let valid = true
  for (const { key, schema, required: isRequired } of record.all) {
    const raw = input[key]
    if (raw === undefined && !isRequired) continue
    const mark = reader.problems.length
    const value =
      raw === undefined
        ? reader.refuse('missing', 'Field required', input)
        : schema.read(raw, reader)
    if (value !== INVALID) continue
    reader.within(mark, key)
    valid = false
  }
  if (record.extra === 'allow' && refuseBrokenKeys(record, input, reader)) valid = false
  const known = record.extra === 'forbid' ? record.all.map(({ key }) => key) : undefined
  if (known && refuseUnknownKeys(input, known, reader)) valid = false
  return valid ? input : INVALID
}

/** Refuses unknown keys that are no valid text, and returns whether there are any. */
function refuseBrokenKeys(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): boolean {
  const broken = keysOf(input).filter((key) => !record.byKey.has(key) && hasHalf(key))
  for (const key of broken) {
    const mark = reader.problems.length
    reader.refuse('invalid_key', 'Keys should be strings', input[key])
    reader.within(mark, key)
  }
  return broken.length > 0
}

/**
 * Refuses unknown keys, and returns whether there are any. Unlike the problem of pydantic, this one lists the known
 * keys. Only the control API uses it, because no schema of the service forbids extra keys.
 */
export function refuseUnknownKeys(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  reader: Reader,
): boolean {
  const unknown = Object.keys(given).filter((key) => !known.includes(key))
  for (const key of unknown) {
    const mark = reader.problems.length
    const msg = 'Extra inputs are not permitted'
    reader.refuseWith({ type: EXTRA_FORBIDDEN, msg, input: given[key], ctx: { known } })
    reader.within(mark, key)
  }
  return unknown.length > 0
}

/** The type of the problem for an unknown key. */
export const EXTRA_FORBIDDEN = 'extra_forbidden'

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
