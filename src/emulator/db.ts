import type { ModelRecord } from '../service/engine/model.js'
import type { BaseModelRecord, ProjectRecord, Records, Store } from '../service/engine/store.js'

/**
 * A read-only view of a collection of records. It has these queries of the data library `@msw/data`: `all`,
 * `count`, `findFirst` and `findMany`.
 *
 * @example
 * emulator.db.models.findMany((q) => q.where({ project: 'demo' }), { orderBy: { name: 'asc' } })
 */
export type RecordView<T extends object> = Readonly<
  Pick<Records<Readonly<T>>, 'all' | 'count' | 'findFirst' | 'findMany'>
>

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
  const view: RecordView<T> = {
    // The library returns its own list, which holds the records.
    all: () => [...collection().all()],
    count: () => collection().count(),
    findFirst: (query, options) => collection().findFirst(query, options),
    findMany: (query, options) => collection().findMany(query, options),
  }
  return Object.freeze(view)
}
