import type { z } from 'zod'
import type { FieldsOf, RecordFields } from './record-fields.js'
import type { AllFields } from './complete.js'

/** What all records of saved worlds have. A record replaces an earlier one of the same kind and key. */
export interface AnyRecord {
  readonly kind: string
  readonly key?: string
}

/** A record of a part with many things. Its key is the id of its thing. */
export type KeyedRecord<Kind extends string, Content> = { kind: Kind; key: string } & Content

/** The record of a part that is one thing. */
export type OnlyRecord<Kind extends string, Content> = { kind: Kind } & Content

/** What a record has besides its kind and its key. */
type ContentOf<Saved extends AnyRecord> = Omit<Saved, 'kind' | 'key'>

/** A thing that has records, with its id. A part that is one thing has the id ''. */
export type SavedThing<Thing = unknown> = readonly [id: string, thing: Thing]

/**
 * A part of a world that is saved: one kind of records. Its owner calls `changes.changed` with it. Saving, checking and
 * restoring know no part by itself: they go through the list of all parts.
 */
export interface AnyPart<Saved extends AnyRecord = AnyRecord, Thing = unknown, World = unknown> {
  readonly kind: Saved['kind']
  /** Whether it is one thing, so that its record has no key. */
  isOne?: true
  /** Makes the schema of its keys. Default: any text. */
  key?(fields: RecordFields): z.ZodType<string>
  /**
   * Makes the schemas of what its records have besides kind and key. Worlds are saved without the schema library, which
   * takes long to load. Undefined: the owner checks its records itself.
   */
  fields?(fields: RecordFields): FieldsOf<ContentOf<Saved>>
  /** Makes what the record of a thing has besides kind and key. */
  content?(thing: Thing, id: string, world: World): object
  /** Makes the records of a thing that has more than one. */
  records?(thing: Thing, id: string, world: World): readonly AnyRecord[]
  /** All things of a world, in the order in which they were created. */
  all(world: World): Iterable<SavedThing<Thing>>
  /** Those with moments that are still to come. When the world is restored, they are at another time. */
  moved?(world: World): Iterable<SavedThing<Thing>>
  /** Whether each save has it, even if nothing says that it changed. */
  everyTime?: true
  /** Whether a record says that its thing is gone. */
  isGone?(record: Saved): boolean
  /**
   * Restores the last records into a new world, after earlier parts. It schedules nothing: time may pass before the world
   * begins. A promise resolves when all is there.
   */
  restore?(records: readonly Saved[], world: World, context: RestoreContext): unknown
  /** Restores one record like `restore`, for things of which many would take long. */
  restoreEach?(record: Saved, world: World): Promise<unknown>
  /** Restores what needs all other parts. */
  complete?(records: readonly Saved[], world: World): void
  /** Schedules what happens before what `resume` schedules for the same moment, when all parts are restored. */
  plan?(records: readonly Saved[], world: World, context: RestoreContext): void
  /** Schedules what is still to come, when all parts are restored. */
  resume?(records: readonly Saved[], world: World, context: RestoreContext): void
  /** Whether it has the contents of files. A data folder that has them in files of their own leaves it out. */
  isContent?: true
  /** Whether it belongs to the scenario: under another one it starts from the beginning. */
  ofScenario?: true
  /** Whether the value at a place of a record may be a key or a secret, which no error may show. Default: none is. */
  mayBeSecret?(path: readonly (string | number)[]): boolean
  /** The maps of its records whose own keys are secrets, such as `scenario.auth.keys`. Default: none. */
  readonly secretMaps?: readonly string[]
  /** Removes keys and secrets. Undefined: they may be anywhere. Default: a record has none. */
  redact?(record: Saved): Saved | undefined
}

/** How an owner declares its part. Its writer names each field of its records. */
export interface SavedPart<Saved extends AnyRecord, Thing, World> extends AnyPart<
  Saved,
  Thing,
  World
> {
  // Not `Complete`: for a union, the compiler does not say which field is missing.
  content(thing: Thing, id: string, world: World): AllFields<ContentOf<Saved>>
}

/** What a part learns when it is restored. */
export interface RestoreContext {
  /** By how many milliseconds the clock is later than when the world was saved. Moments move by them. */
  readonly later: number
  /** The contents of files, by their MD5, if they were joined of their records already. */
  readonly contents: ReadonlyMap<string, Uint8Array>
  /** The last records of another part. */
  readonly recordsOf: <Saved extends AnyRecord>(part: AnyPart<Saved>) => readonly Saved[]
}

/** The only thing of a part without ids. */
export const ONLY: readonly SavedThing<undefined>[] = [['', undefined]]

/** For a part whose records may have keys and secrets anywhere. */
export const SECRET = {
  mayBeSecret: ([field]: readonly (string | number)[]): boolean => field !== 'kind',
  redact: (): undefined => undefined,
}
