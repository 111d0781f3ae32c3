import type { Artifact } from '../../platform/artifact.js'
import type { ModelState } from '../model.js'
import type { FieldsOf } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { PlatformWorld } from './saved-platform.js'

/** The checkpoints that are artifacts. */
export interface MirroredModels {
  /** How many checkpoints of a model were looked at. 0: none. */
  seenOf(model: ModelState): number
  /** Continues after the first `seen` checkpoints of a model. */
  restoreSeen(model: ModelState, seen: number): void
  /** Finds the artifacts of a saved world that are checkpoints. */
  restoreArtifacts(artifacts: Iterable<Artifact>): void
}

interface MirrorsWorld {
  readonly engine: PlatformWorld['engine'] & {
    readonly store: Store
    readonly checkpointArtifacts: MirroredModels
  }
}

export interface MirrorRecord {
  kind: 'mirrored'
  /** The id of the model. */
  key: string
  /** How many of its checkpoints were looked at. */
  seen: number
}

/** The models whose checkpoints are artifacts. Each such artifact has the id of its checkpoint. */
export const savedMirrors: SavedPart<MirrorRecord, ModelState, MirrorsWorld> = {
  kind: 'mirrored',
  schema({ strictObject, literal, string, int }) {
    return strictObject({
      kind: literal('mirrored'),
      key: string().min(1),
      seen: int().positive(),
    } satisfies FieldsOf<MirrorRecord>)
  },
  *all({ engine: { store, checkpointArtifacts } }) {
    for (const model of store.modelStates) {
      if (checkpointArtifacts.seenOf(model) > 0) yield [model.record.id, model]
    }
  },
  records(model, key, { engine }) {
    const seen = engine.checkpointArtifacts.seenOf(model)
    return [{ kind: 'mirrored', key, seen } satisfies MirrorRecord]
  },
  restore(records, { engine: { store, checkpointArtifacts, savedPlatform } }) {
    for (const { key, seen } of records) {
      const model = store.model(key)
      if (model) checkpointArtifacts.restoreSeen(model, seen)
    }
    checkpointArtifacts.restoreArtifacts(savedPlatform.artifacts.all)
  },
}
