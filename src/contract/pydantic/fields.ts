import { setOwn } from './record.js'
import { titleOf } from './python-text.js'
import { INVALID, type Invalid, type Reader } from './reader.js'
import type { Components, JsonSchema, Schema } from './schema.js'

/** What the documentation of a field says besides its type. */
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
}

export type AnyField = Schema<unknown> | Field<unknown, Presence>
export type Fields = Record<string, AnyField>

export type FieldValue<F> =
  F extends Field<infer T, Presence> ? T : F extends Schema<infer T> ? T : never

type OptionalKeys<F> = {
  [K in keyof F]: F[K] extends Field<unknown, 'optional' | 'assumed'> ? K : never
}[keyof F]

/** The value that a set of fields is read as. */
export type Shape<F> = {
  [K in keyof F as K extends OptionalKeys<F> ? never : K]: FieldValue<F[K]>
} & { [K in OptionalKeys<F>]?: FieldValue<F[K]> }

/** A field that must be given, with notes. A bare schema says the same without them. */
export function required<T>(schema: Schema<T>, notes: Notes = {}): Field<T, 'required'> {
  return { schema, presence: 'required', notes }
}

/** A field that may be left out, and then stays absent. */
export function optional<T>(schema: Schema<T>, notes: Notes = {}): Field<T, 'optional'> {
  return { schema, presence: 'optional', notes }
}

/** A field that may be left out, and is then made. */
export function defaulted<T, D extends T>(
  schema: Schema<T>,
  makeDefault: () => D,
  notes: Notes = {},
): Field<T, 'defaulted'> {
  return { schema, presence: 'defaulted', makeDefault, notes }
}

/**
 * A field that may be left out, and then stays absent: the default is one for the document to tell, and
 * for who reads the value to assume. What comes by the hundred is not copied to add what nobody reads.
 */
export function assumed<T, D extends T>(
  schema: Schema<T>,
  makeDefault: () => D,
  notes: Notes = {},
): Field<T, 'assumed'> {
  return { schema, presence: 'assumed', makeDefault, notes }
}

/** A field in the form in which records are read. */
export interface PreparedField {
  key: string
  schema: Schema<unknown>
  required: boolean
  /** Makes the value of a field that is left out, where it does not stay absent. */
  makeDefault: (() => unknown) | undefined
  /** The default that the document tells. */
  shownDefault: (() => unknown) | undefined
  notes: Notes
}

/** The fields of a record, arranged for reading. */
export interface RecordFields {
  readonly all: readonly PreparedField[]
  readonly byKey: ReadonlyMap<string, PreparedField>
  readonly requiredCount: number
  readonly defaultedCount: number
  readonly extra: Extra
}

/** What happens to keys that no field names, in pydantic's words. Default: `ignore`. */
export type Extra = 'ignore' | 'allow' | 'forbid'

export function prepare(fields: Fields): PreparedField[] {
  return Object.entries(fields).map(([key, field]) => {
    const bare = !('presence' in field)
    const { schema, presence, makeDefault: shownDefault, notes } = bare ? required(field) : field
    const makeDefault = presence === 'defaulted' ? shownDefault : undefined
    return { key, schema, required: presence === 'required', makeDefault, shownDefault, notes }
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
 * Reads the fields of an object. The input itself comes back when nothing in it had to change.
 *
 * The quiet way goes by the keys that the object has, which is several times faster than asking it for
 * each of the fields, most of which tend to be absent. The telling way goes by the fields, because
 * that is the order in which the framework reports.
 */
export function readFields(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): Record<string, unknown> | Invalid {
  return reader.quiet ? fit(record, input, reader) : tell(record, input, reader)
}

function fit(
  record: RecordFields,
  input: Record<string, unknown>,
  reader: Reader,
): Record<string, unknown> | Invalid {
  let requiredCount = 0
  let defaultedCount = 0
  let given = 0
  let hasExtra = false
  let changes: Map<string, unknown> | undefined
  for (const key in input) {
    const field = record.byKey.get(key)
    const raw = input[key]
    if (field === undefined && record.extra === 'forbid') return INVALID
    if (field === undefined || raw === undefined) {
      hasExtra = true
      continue
    }
    const value = field.schema.read(raw, reader)
    if (value === INVALID) return INVALID
    given++
    if (field.required) requiredCount++
    else if (field.makeDefault) defaultedCount++
    if (value !== raw) (changes ??= new Map()).set(key, value)
  }
  if (requiredCount < record.requiredCount) return INVALID
  reader.countFields(given)
  const isComplete = defaultedCount === record.defaultedCount
  if (isComplete && !changes && (record.extra === 'allow' || !hasExtra)) return input
  return rebuild(record, input, changes)
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

function tell(
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
  const known = record.extra === 'forbid' ? record.all.map(({ key }) => key) : undefined
  if (known && refuseUnknownKeys(input, known, reader)) valid = false
  return valid ? input : INVALID
}

/**
 * Refuses each key that is not known; returns whether there is one. Unlike pydantic's problem, this one
 * says which keys are known: no schema of the service forbids extra keys, so it stays off its wire.
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

/** The type of the problem that an unknown key is. */
export const EXTRA_FORBIDDEN = 'extra_forbidden'

/** How a field is shown: as its schema, and what is said about it beside that. */
export function describeField(field: PreparedField, components: Components): JsonSchema {
  const { schema, notes, shownDefault } = field
  const described = schema.describe(components)
  const value = shownDefault?.()
  return {
    ...described,
    ...(!schema.named && { title: notes.title ?? titleOf(field.key) }),
    ...(notes.description !== undefined && { description: notes.description }),
    // A default of null goes unsaid: the framework leaves nulls out of its document.
    ...(value !== undefined && value !== null && { default: value }),
    ...(notes.examples && { examples: [...notes.examples] }),
  }
}
