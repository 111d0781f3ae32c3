import type { Artifact } from '../../platform/artifact.js'
import type { ModelState } from '../model.js'
import type { RecordFields, RecordFrom } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'
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

export type MirrorRecord = RecordFrom<typeof mirrorSchema>

function mirrorSchema({ strictObject, literal, string, int, array, tuple }: RecordFields) {
  return strictObject({
    kind: literal('mirrored'),
    /** The id of the model. */
    key: string().min(1),
    /** How many of its checkpoints were looked at. */
    seen: int().positive(),
    /** The aliases that their artifacts got from the model, with the ids of the checkpoints. Missing: none. */
    aliases: array(tuple([string(), string()])).optional(),
  })
}

/** The models whose checkpoints are artifacts. Each such artifact has the id of its checkpoint. */
export const savedMirrors: SavedPart<MirrorRecord, ModelState, MirrorsWorld> = {
  kind: 'mirrored',
  schema: mirrorSchema,
  *all({ engine: { store, checkpointArtifacts } }) {
    for (const model of store.modelStates) {
      if (checkpointArtifacts.seenOf(model) > 0) yield [model.record.id, model]
    }
  },
  records(model, key, { engine }) {
    const seen = engine.checkpointArtifacts.seenOf(model)
    const given = engine.checkpointArtifacts.aliasesOf(model)
    const aliases = given.size > 0 ? [...given] : undefined
    return [{ kind: 'mirrored', key, seen, aliases }]
  },
  restore(records, { engine: { store, checkpointArtifacts, clientPlatform } }) {
    for (const { key, seen, aliases } of records) {
      const model = store.model(key)
      if (model) checkpointArtifacts.restoreSeen(model, seen, new Map(aliases))
    }
    checkpointArtifacts.restoreArtifacts(clientPlatform.artifacts.all)
  },
}
