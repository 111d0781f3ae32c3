import type { ModelRecord } from '../service/engine/model.js'
import type { BaseModelRecord, ProjectRecord, Records, Store } from '../service/engine/store.js'

/** Which records are meant: by the values of their fields, or by functions that test fields or the whole record. */
export type RecordCondition<T extends object> =
  | { readonly [Field in keyof T]?: T[Field] | ((value: T[Field]) => unknown) }
  | ((record: T) => unknown)

/** A query. Each method returns a new one. */
export interface RecordQuery<T extends object> {
  /** Records that fit. */
  where: (condition: RecordCondition<T>) => RecordQuery<T>
  /** Records that fit this one and all of these. */
  and: (...conditions: (RecordQuery<T> | RecordCondition<T>)[]) => RecordQuery<T>
  /** Records that fit this one or one of these. */
  or: (...conditions: (RecordQuery<T> | RecordCondition<T>)[]) => RecordQuery<T>
}

/** Options of `findMany`. */
export interface FindManyOptions<T extends object> {
  /** The order by fields. Default: the order of creation. */
  orderBy?: { readonly [Field in keyof T]?: 'asc' | 'desc' } | undefined
  /** Begins with this record. */
  cursor?: T | undefined
  /** How many records to leave out at the beginning. */
  skip?: number | undefined
  /** How many records to return. */
  take?: number | undefined
  /** Throws an error if there is no such record. */
  strict?: boolean | undefined
}

/**
 * A read-only view of a collection of records. It has these queries of the data library `@msw/data`: `all`,
 * `count`, `findFirst` and `findMany`.
 *
 * @example
 * emulator.db.models.findMany((q) => q.where({ project: 'demo' }), { orderBy: { name: 'asc' } })
 */
export interface RecordView<T extends object> {
  /** Returns all records. */
  readonly all: () => Readonly<T>[]
  /** Returns the number of records. */
  readonly count: () => number
  /** Returns the first record that fits. With `strict`, throws an error if there is none. */
  readonly findFirst: <Strict extends boolean = false>(
    query?: (query: RecordQuery<T>) => RecordQuery<T>,
    options?: { strict?: Strict },
  ) => Strict extends true ? Readonly<T> : Readonly<T> | undefined
  /** Returns the records that fit. */
  readonly findMany: (
    query?: (query: RecordQuery<T>) => RecordQuery<T>,
    options?: FindManyOptions<T>,
  ) => Readonly<T>[]
}

/** The records of the account: `emulator.db`. They are frozen. */
export interface Database {
  /** The projects that have or had a model. */
  readonly projects: RecordView<ProjectRecord>
  /** The models that can be trained, by id. */
  readonly baseModels: RecordView<BaseModelRecord>
  /** The models that clients created or the scenario begins with. */
  readonly models: RecordView<ModelRecord>
}

/** Makes views of the current store. They follow a reset, which replaces the store. */
export function databaseOf(store: () => Store): Database {
  return Object.freeze({
    projects: viewOf(() => store().projects),
    baseModels: viewOf(() => store().baseModels),
    models: viewOf(() => store().models),
  })
}

function viewOf<T extends object>(collection: () => Records<Readonly<T>>): RecordView<T> {
  type Library = Records<Readonly<T>>
  const view = {
    // The library returns its own list, which holds the records.
    all: () => [...collection().all()],
    count: () => collection().count(),
    findFirst: (...query: Parameters<Library['findFirst']>) => collection().findFirst(...query),
    findMany: (...query: Parameters<Library['findMany']>) => collection().findMany(...query),
  }
  // The same queries, in types of our own: so nobody has to install the library for its types.
  return Object.freeze(view) as RecordView<T>
}
