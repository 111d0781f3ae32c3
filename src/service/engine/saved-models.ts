import { parseJson } from '../../base/text/json-text.js'
import { nameKey, type ModelRecord, type ModelState } from './model.js'
import type { FieldsOf } from './saved/record-fields.js'
import type { AnyPart, KeyedRecord, SavedPart } from './saved/saved-part.js'
import type { Store } from './store.js'

type SavedModel = KeyedRecord<'model', { record: ModelRecord | 'deleted' }>

export interface ModelsWorld {
  readonly engine: { readonly store: Store }
}

const modelRecords = {
  kind: 'model',
  fields({ strictObject, literal, string, union }) {
    const model = strictObject({
      id: string().min(1),
      entity: string(),
      project: string(),
      name: string(),
      base_model: string(),
      run_id: string(),
    } satisfies FieldsOf<ModelRecord>)
    const error = 'expected a model, or "deleted"'
    return { record: union([model, literal('deleted')], { error }) }
  },
  isGone: ({ record }) => record === 'deleted',
} satisfies Partial<AnyPart<SavedModel>>

/** The models. */
export const savedModels: AnyPart<SavedModel, ModelState, ModelsWorld> = {
  ...modelRecords,
  *all({ engine }) {
    for (const model of engine.store.modelStates) yield [model.record.id, model]
  },
  records({ record }, id, { engine: { store } }) {
    const model: SavedModel = { kind: 'model', key: id, record }
    const name: SavedName = { kind: 'name', key: nameKey(record), made: store.timesMade(record) }
    return [model, name]
  },
  restoreEach({ record }, { engine: { store } }) {
    return store.restoreModel(record as ModelRecord)
  },
}

/** Models that were deleted. A part of its own: one that comes and goes between two saves is still written with its name. */
export const deletedModels: SavedPart<SavedModel, undefined, ModelsWorld> = {
  ...modelRecords,
  all: () => [],
  content: () => ({ record: 'deleted' }),
}

type SavedName = KeyedRecord<'name', { made: number }>

/** How many models each name has had, deleted ones included. Models are written with their names. */
export const savedNames: SavedPart<SavedName, number, ModelsWorld> = {
  kind: 'name',
  key: ({ string }) => {
    return string().refine(isModelName, { error: 'expected entity, project and name as JSON' })
  },
  fields: ({ int }) => ({ made: int().positive() }),
  // Sorted, so that saving a restored world gives the same records again.
  all: ({ engine }) => [...engine.store.namesMade].sort(([one], [other]) => (one < other ? -1 : 1)),
  content: (made) => ({ made }),
  restore(records, { engine: { store } }) {
    for (const { key, made } of records) store.restoreName(key, made)
  },
}

function isModelName(key: string): boolean {
  const parts = parseJson(key)
  return (
    Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')
  )
}
