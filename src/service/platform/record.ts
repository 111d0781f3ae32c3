import type { Field, Fields, FixedField, LinkField } from './field.js'

type ValueOf<Of> = Of extends Field<infer Value, infer _Saved, infer _Given> ? Value : never
type SavedValueOf<Of> = Of extends Field<infer _Value, infer Saved, infer _Given> ? Saved : never
type GivenOf<Of> = Of extends Field<infer _Value, infer _Saved, infer Given> ? Given : never
type SavedName<Of, Name> = Of extends { readonly savedAs: infer Other extends string }
  ? Other
  : Name

/** The fields of a record in memory. */
export type RecordOf<All> = {
  readonly [Name in keyof All as All[Name] extends FixedField ? Name : never]: ValueOf<All[Name]>
} & {
  [Name in keyof All as All[Name] extends FixedField ? never : Name]: ValueOf<All[Name]>
}

/** What a record is made of. Fields with a default need not be given. */
export type MadeOf<All> = {
  readonly [Name in keyof All as undefined extends GivenOf<All[Name]> ? never : Name]: GivenOf<
    All[Name]
  >
} & {
  readonly [Name in keyof All as undefined extends GivenOf<All[Name]> ? Name : never]?: GivenOf<
    All[Name]
  >
}

/** What a writer makes of a record: each field, also one that is undefined. */
type WrittenOf<All> = {
  [Name in keyof All as SavedName<All[Name], Name> & string]: SavedValueOf<All[Name]>
}

type OptionalIn<Written> = {
  [Name in keyof Written]: undefined extends Written[Name] ? Name : never
}[keyof Written]

/** A record in a saved world. */
export type SavedOf<All> = Omit<WrittenOf<All>, OptionalIn<WrittenOf<All>>> & {
  [Name in OptionalIn<WrittenOf<All>>]?: WrittenOf<All>[Name]
}

/** The records that a record has, which its reader finds by their ids. */
type LinksOf<All> = {
  readonly [Name in keyof All as All[Name] extends LinkField ? Name : never]: ValueOf<All[Name]>
}

function same(value: unknown): unknown {
  return value
}

/** Makes the class of a kind of records. */
export function recordClass<All extends Fields>(
  fields: All,
): new (id: string, made: MadeOf<All>) => RecordOf<All> & { readonly id: string } {
  class PlatformRecord {
    readonly id: string

    constructor(id: string, made: Readonly<Record<string, unknown>>) {
      this.id = id
      for (const [each, { make = same }] of Object.entries(fields)) {
        Object.assign(this, { [each]: make(made[each]) })
      }
    }
  }
  return PlatformRecord as unknown as ReturnType<typeof recordClass<All>>
}

/** Gives fields of a record other values. What is undefined stays. */
export function reviseRecord<Thing extends object>(
  record: Thing,
  facts: { readonly [Name in keyof Thing]?: Thing[Name] | undefined },
): void {
  for (const [key, value] of Object.entries(facts)) {
    if (value !== undefined) Object.assign(record, { [key]: value })
  }
}

/** Returns a record as it is saved. */
export function savedRecord<All extends Fields>(
  fields: All,
  record: RecordOf<All>,
): WrittenOf<All> {
  const entries = Object.entries(fields).map(([each, field]) => {
    const { savedAs: savedName = each, save = same } = field
    return [savedName, save(record[each as keyof RecordOf<All>])]
  })
  return Object.fromEntries(entries) as WrittenOf<All>
}

/** Returns what a record of a saved world is made of. */
export function restoredRecord<All extends Fields>(
  fields: All,
  saved: SavedOf<All>,
  links: LinksOf<All>,
): MadeOf<All> {
  const entries = Object.entries(fields).map(([each, { savedAs: savedName = each }]) => {
    return [each, saved[savedName as keyof SavedOf<All>]]
  })
  return { ...Object.fromEntries(entries), ...links } as MadeOf<All>
}
