import { parseJson } from '../../base/text/json-text.js'
import { nameKey, type ModelRecord, type ModelState } from './model.js'
import type { FieldsOf, RecordFields, RecordFrom } from './saved/record-fields.js'
import type { AnyPart, SavedPart } from './saved/saved-part.js'
import type { Store } from './store.js'

export interface SavedModel {
  kind: 'model'
  key: string
  record: ModelRecord | 'deleted'
}

export interface ModelsWorld {
  readonly engine: { readonly store: Store }
}

const modelRecords = {
  kind: 'model',
  schema({ strictObject, literal, string, union }) {
    const model = strictObject({
      id: string().min(1),
      entity: string(),
      project: string(),
      name: string(),
      base_model: string(),
      run_id: string(),
    } satisfies FieldsOf<ModelRecord>)
    return strictObject({
      kind: literal('model'),
      key: string(),
      record: union([model, literal('deleted')], { error: 'expected a model, or "deleted"' }),
    } satisfies FieldsOf<SavedModel>)
  },
  isGone: ({ record }) => record === 'deleted',
} satisfies Partial<AnyPart<SavedModel>>

/** The models. */
export const savedModels: SavedPart<SavedModel, ModelState, ModelsWorld, SavedName> = {
  ...modelRecords,
  *all({ engine }) {
    for (const model of engine.store.modelStates) yield [model.record.id, model]
  },
  records: ({ record }, id, { engine: { store } }) => [
    { kind: 'model', key: id, record },
    { kind: 'name', key: nameKey(record), made: store.timesMade(record) },
  ],
  restore(records, { engine: { store } }) {
    return Promise.all(records.map(({ record }) => store.restoreModel(record as ModelRecord)))
  },
}

/** Models that were deleted. */
export const deletedModels: SavedPart<SavedModel, undefined, ModelsWorld> = {
  ...modelRecords,
  all: () => [],
  records: (_thing, id) => [{ kind: 'model', key: id, record: 'deleted' }],
}

export type SavedName = RecordFrom<typeof nameSchema>

function nameSchema({ strictObject, literal, string, int }: RecordFields) {
  return strictObject({
    kind: literal('name'),
    key: string().refine(isModelName, { error: 'expected entity, project and name as JSON' }),
    made: int().positive(),
  })
}

/** How many models each name has had, deleted ones included. Models are written with their names. */
export const savedNames: SavedPart<SavedName, number, ModelsWorld> = {
  kind: 'name',
  schema: nameSchema,
  // Sorted, so that saving a restored world gives the same records again.
  all: ({ engine }) => [...engine.store.namesMade].sort(([one], [other]) => (one < other ? -1 : 1)),
  records: (made, key) => [{ kind: 'name', key, made }],
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
