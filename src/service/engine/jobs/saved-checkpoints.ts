import type { ModelState } from '../model.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { Checkpoint } from './checkpoints.js'

function checkpointFields(fields: RecordFields) {
  const { string, boolean, array, tuple, count, figure, moment } = fields
  return {
    model: string(),
    step: count,
    createdAt: moment,
    /** Null if a number is not finite. */
    metrics: array(tuple([string(), figure])),
    servedFrom: moment.optional(),
    servedUntil: moment.optional(),
    expiresAt: moment.optional(),
    deleted: boolean(),
  }
}

type CheckpointRecord = KeyedRecord<'checkpoint', ContentFrom<typeof checkpointFields>>

export interface CheckpointOfModel {
  checkpoint: Checkpoint
  model: ModelState
}

export interface CheckpointsWorld {
  readonly engine: {
    readonly store: Store
    readonly checkpointing: {
      planExpiry: (model: ModelState, checkpoint: Checkpoint) => void
    }
  }
}

/** The checkpoints, deleted ones included: their cursors and versions stay. */
export const savedCheckpoints: SavedPart<CheckpointRecord, CheckpointOfModel, CheckpointsWorld> = {
  kind: 'checkpoint',
  fields: checkpointFields,
  *all({ engine }) {
    for (const model of engine.store.modelStates) {
      for (const checkpoint of model.checkpoints.everMade) {
        yield [checkpoint.id, { checkpoint, model }]
      }
    }
  },
  *moved(world) {
    for (const each of this.all(world)) {
      const { servedFrom, servedUntil, expiresAt } = each[1].checkpoint
      if (servedFrom ?? servedUntil ?? expiresAt) yield each
    }
  },
  content({ checkpoint, model }) {
    const { step, createdAt, metrics, servedFrom, servedUntil, expiresAt } = checkpoint
    return {
      model: model.record.id,
      step,
      createdAt,
      metrics: [...metrics],
      servedFrom,
      servedUntil,
      expiresAt,
      deleted: model.checkpoints.at(step) !== checkpoint,
    }
  },
  restore(records, world, { later }) {
    for (const saved of records) restoreCheckpoint(saved, world, later)
  },
  plan(records, { engine: { store, checkpointing } }) {
    for (const { model: id, step, deleted } of records) {
      const model = store.model(id)
      const checkpoint = deleted ? undefined : model?.checkpoints.at(step)
      if (model && checkpoint) checkpointing.planExpiry(model, checkpoint)
    }
  },
}

function restoreCheckpoint(
  saved: CheckpointRecord,
  { engine: { store } }: CheckpointsWorld,
  later: number,
): void {
  const { key: id, step, createdAt, metrics, servedFrom, servedUntil, expiresAt } = saved
  const model = store.model(saved.model)
  if (!model) return
  const checkpoint = {
    id,
    step,
    createdAt,
    metrics: new Map(metrics),
    servedFrom: servedFrom === undefined ? undefined : servedFrom + later,
    servedUntil: servedUntil === undefined ? undefined : servedUntil + later,
    expiresAt: expiresAt === undefined ? undefined : expiresAt + later,
  }
  model.checkpoints.add(checkpoint)
  if (saved.deleted) model.checkpoints.delete(step)
}

type AliasesRecord = KeyedRecord<'aliases', { aliases: [alias: string, id: string][] }>

/** The aliases of each model. */
export const savedAliases: SavedPart<AliasesRecord, ModelState, { engine: { store: Store } }> = {
  kind: 'aliases',
  fields: ({ string, array, tuple }) => ({ aliases: array(tuple([string(), string()])) }),
  *all({ engine }) {
    for (const model of engine.store.modelStates) {
      if (model.aliases.size > 0) yield [model.record.id, model]
    }
  },
  content: (model) => ({ aliases: Array.from(model.aliases, ([alias, { id }]) => [alias, id]) }),
  restore(records, { engine: { store } }) {
    for (const { key, aliases } of records) {
      const model = store.model(key)
      for (const [alias, id] of aliases) {
        const checkpoint = model?.checkpoints.everMade.find((each) => each.id === id)
        if (checkpoint) model?.aliases.set(alias, checkpoint)
      }
    }
  },
}
