/** What a saved world may have as a value. The reader of saved worlds has a schema for each. */
export type ValueKind =
  | 'text'
  | 'name'
  | 'jsonObject'
  | 'texts'
  | 'moments'
  | 'flag'
  | 'number'
  | 'amount'
  | 'count'
  | 'ordinal'
  | 'moment'
  | 'choice'

/**
 * A field of a record: what it is in memory, in a saved world, and when its record is made. One declaration gives the
 * class of a kind of records its fields, writes them, and checks them when a world is read.
 */
export interface Field<Value = unknown, Saved = Value, Given = Value> {
  readonly kind: ValueKind
  /** For a choice: what is allowed. */
  readonly choices?: readonly string[]
  /** Whether a saved world may lack it. */
  readonly isOptional?: true
  /** Its name in a saved world, if it has another one there. */
  readonly savedAs?: string
  /** Makes the value. Default: it is the given one. */
  make?(this: void, given: Given): Value
  /** Returns the value as it is saved. Default: as it is. */
  save?(this: void, value: Value): Saved
}

/** A field that never changes. */
export interface FixedField {
  readonly isFixed: true
}

/** A field that is another record. Its id is saved. */
export interface LinkField {
  readonly isLink: true
}

/** The fields of a kind of records, in the order in which they are saved. */
export type Fields = Readonly<Record<string, Field>>

export const text: Field<string> = { kind: 'text' }
/** A text that is not empty. */
export const name: Field<string> = { kind: 'name' }
/** A JSON object as text. */
export const jsonObject: Field<string> = { kind: 'jsonObject' }
export const number: Field<number> = { kind: 'number' }
/** A number from 0 on. */
export const amount: Field<number> = { kind: 'amount' }
/** A whole number from 0 on. */
export const count: Field<number> = { kind: 'count' }
/** A whole number from 1 on. */
export const ordinal: Field<number> = { kind: 'ordinal' }
/** Milliseconds since the epoch, on the clock of the world. */
export const moment: Field<number> = { kind: 'moment' }
export const flag: Field<boolean, boolean, boolean | undefined> = withDefault(
  { kind: 'flag' },
  false,
)

/** Texts that are there once, in the order in which they were added. */
export const texts: Field<Set<string>, string[], Iterable<string> | undefined> = {
  kind: 'texts',
  make: (given) => new Set(given),
  save: (value) => [...value],
}

export const textList: Field<readonly string[]> = { kind: 'texts' }

/** Texts, each with a moment. */
export const moments: Field<
  Map<string, number>,
  [string, number][],
  Iterable<readonly [string, number]> | undefined
> = {
  kind: 'moments',
  make: (given) => new Map(given),
  save: (value) => [...value],
}

/** One of some texts. */
export function choice<Choice extends string>(...choices: readonly Choice[]): Field<Choice> {
  return { kind: 'choice', choices }
}

/** A field that need not be given. */
export function withDefault<Value, Saved>(
  field: Field<Value, Saved>,
  value: Value,
): Field<Value, Saved, Value | undefined> {
  return { ...field, make: (given = value) => given }
}

/** A field that may be undefined. */
export function optional<Value, Saved>({
  save,
  ...field
}: Field<Value, Saved>): Field<Value | undefined, Saved | undefined> {
  const saved = save && ((value?: Value) => (value === undefined ? undefined : save(value)))
  return { ...field, isOptional: true, ...(saved && { save: saved }) }
}

/** A field that never changes. */
export function fixed<Of extends Field>(field: Of): Of & FixedField {
  return { ...field, isFixed: true }
}

/** A field that has another name in a saved world. */
export function savedAs<Name extends string, Of extends Field>(
  savedName: Name,
  field: Of,
): Of & { readonly savedAs: Name } {
  return { ...field, savedAs: savedName }
}

/** Another record, which never changes. */
export function link<Thing extends { readonly id: string }>(): Field<Thing, string> &
  FixedField &
  LinkField {
  return { kind: 'text', isFixed: true, isLink: true, save: ({ id }) => id }
}

/** Another record, or none. Only its id is saved, and only if it is there. */
export function linkIfThere<Thing extends { readonly id: string }>(
  isThere: (thing: Thing) => boolean,
): Field<Thing | undefined, string | undefined> & FixedField & LinkField {
  return {
    kind: 'text',
    isOptional: true,
    isFixed: true,
    isLink: true,
    save: (thing) => (thing && isThere(thing) ? thing.id : undefined),
  }
}
