/** Marks a value with the names of all fields of its type. */
declare const owned: unique symbol

/** A value of its owner, with all of its fields. */
export type Whole<T> = T extends unknown
  ? T & { readonly [owned]: { readonly [Name in keyof T]-?: true } }
  : never

/**
 * What the writer of a record makes. It names each field, also one that older worlds lack. Such a field is optional
 * when the record is read, so what a writer forgets would be lost without a word. Undefined values are not saved.
 */
export type Complete<T> = T extends object ? AllFields<T> | Whole<T> : T

/** An object whose writer names each field. */
export type AllFields<T extends object> = T extends readonly unknown[]
  ? { [Index in keyof T]: Complete<T[Index]> }
  : { [Name in keyof Required<T>]: Complete<T[Name]> }

/** Writes a value as its owner has it, with all of its fields. */
export function whole<T>(value: T): Whole<T> {
  return value as Whole<T>
}
