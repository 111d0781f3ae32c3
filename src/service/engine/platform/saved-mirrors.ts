import type { Artifact } from '../../platform/artifact.js'
import type { ModelState } from '../model.js'
import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { PlatformWorld } from './saved-platform.js'

/** The checkpoints that are artifacts. */
export interface MirroredModels {
  /** How many checkpoints of a model were looked at. 0: none. */
  seenOf(model: ModelState): number
  /** The aliases that the artifacts of a model got from it, with the ids of their checkpoints. */
  aliasesOf(model: ModelState): ReadonlyMap<string, string>
  /** Continues after the first `seen` checkpoints of a model, whose artifacts have these aliases. */
  restoreSeen(model: ModelState, seen: number, aliases: ReadonlyMap<string, string>): void
  /** Finds the artifacts of a saved world that are checkpoints. */
  restoreArtifacts(artifacts: Iterable<Artifact>): void
}

export interface MirrorsWorld {
  readonly engine: PlatformWorld['engine'] & {
    readonly store: Store
    readonly checkpointArtifacts: MirroredModels
  }
}

/** By the id of the model. */
type MirrorRecord = KeyedRecord<'mirrored', ContentFrom<typeof mirrorFields>>

const mirrorFields = ({ string, int, array, tuple }: RecordFields) => ({
  /** How many of its checkpoints were looked at. */
  seen: int().positive(),
  /** The aliases that their artifacts got from the model, with the ids of the checkpoints. Missing: none. */
  aliases: array(tuple([string(), string()])).optional(),
})

/** The models whose checkpoints are artifacts. Each such artifact has the id of its checkpoint. */
export const savedMirrors: SavedPart<MirrorRecord, ModelState, MirrorsWorld> = {
  kind: 'mirrored',
  key: ({ string }) => string().min(1),
  fields: mirrorFields,
  *all({ engine: { store, checkpointArtifacts } }) {
    for (const model of store.modelStates) {
      if (checkpointArtifacts.seenOf(model) > 0) yield [model.record.id, model]
    }
  },
  content(model, _id, { engine }) {
    const seen = engine.checkpointArtifacts.seenOf(model)
    const given = engine.checkpointArtifacts.aliasesOf(model)
    const aliases = given.size > 0 ? [...given] : undefined
    return { seen, aliases }
  },
  restore(records, { engine: { store, checkpointArtifacts, clientPlatform } }) {
    for (const { key, seen, aliases } of records) {
      const model = store.model(key)
      if (model) checkpointArtifacts.restoreSeen(model, seen, new Map(aliases))
    }
    checkpointArtifacts.restoreArtifacts(clientPlatform.artifacts.all)
  },
}
