import type { BaseWorld } from './base-world.js'
import { hash128 } from '../../base/random/random.js'
import type { Artifact, ArtifactCollection } from '../platform/artifact.js'
import type { Platform } from '../platform/platform.js'
import type { PlatformChange } from '../platform/platform-change.js'
import { PlatformError, quoted } from '../platform/platform-error.js'
import { putArtifact } from '../platform/put-artifact.js'
import { LOCAL_ACCOUNT } from '../scenario/account.js'
import { ADAPTER_TYPE, adapterFiles } from './adapter-files.js'
import type { EngineEvent, RegistryPlace } from './engine-events.js'
import type { Checkpoint } from './jobs/checkpoints.js'
import type { Job } from './jobs/job.js'
import { savedAliases } from './jobs/saved-checkpoints.js'
import type { ModelState } from './model.js'
import { savedMirrors } from './platform/saved-mirrors.js'

interface MadeCheckpoint {
  readonly model: ModelState
  readonly checkpoint: Checkpoint
}

/** A checkpoint as a version of an artifact. */
export interface CheckpointVersion {
  /** The id of the artifact. */
  readonly id: string
  /** 3 in `v3`. */
  readonly index: number
  readonly metadata: Readonly<Record<string, unknown>>
  /** The collections of registries that it is linked to. */
  readonly linked: readonly RegistryPlace[]
}

/**
 * Shows the checkpoints of the models as artifacts: in the project of their model, in a collection with its name. They
 * are made when a client asks for artifacts, because most clients never do.
 */
export class CheckpointArtifacts {
  readonly #world: BaseWorld
  readonly #platform: Platform
  /** The artifact of each checkpoint. Undefined if it cannot be one. */
  readonly #artifacts = new Map<Pick<Checkpoint, 'id'>, Artifact | undefined>()
  /** The checkpoint of each artifact, and its model. */
  readonly #made = new WeakMap<Artifact, MadeCheckpoint>()
  /** How many checkpoints of each model were looked at. */
  readonly #seen = new WeakMap<ModelState, number>()
  /** The aliases that the artifacts of each model got, as in `aliasesOf`. A client may have moved or removed them. */
  readonly #aliases = new WeakMap<ModelState, ReadonlyMap<string, string>>()
  #isMirroring = false

  constructor(world: BaseWorld, platform: Platform) {
    this.#world = world
    this.#platform = platform
  }

  /** Whether somebody has created an artifact that is no checkpoint. */
  get hasOthers(): boolean {
    let count = 0
    for (const artifact of this.#artifacts.values()) if (artifact) count++
    return this.#platform.artifacts.count > count
  }

  /** The job that made an artifact, if it is a checkpoint of a job. */
  jobOf(artifact: Artifact): Job | undefined {
    const made = this.checkpointOf(artifact)
    return made?.model.jobs.findLast(
      ({ progress }) => progress.checkpointStep === made.checkpoint.step,
    )
  }

  /** The checkpoint that an artifact is. */
  checkpointOf(artifact: Artifact): MadeCheckpoint | undefined {
    return this.#made.get(artifact)
  }

  /** Whether it changes artifacts now. Such a change has its event already, as a change of the checkpoint. */
  get isMirroring(): boolean {
    return this.#isMirroring
  }

  /** Brings the artifacts up to date with the checkpoints. */
  update(): void {
    this.#mirror(() => {
      const existing = new Set<Pick<Checkpoint, 'id'>>()
      for (const model of this.#world.store.modelStates) {
        for (const checkpoint of model.checkpoints.all) existing.add(checkpoint)
        this.#updateModel(model)
      }
      for (const [checkpoint, artifact] of this.#artifacts) {
        if (!existing.has(checkpoint)) this.#forget(checkpoint, artifact)
      }
    })
  }

  #mirror(work: () => void): void {
    const before = this.#isMirroring
    this.#isMirroring = true
    try {
      work()
    } finally {
      this.#isMirroring = before
    }
  }

  #updateModel(model: ModelState): void {
    const { everMade } = model.checkpoints
    for (const checkpoint of everMade.slice(this.seenOf(model))) {
      const artifact = this.#put(model, checkpoint)
      this.#artifacts.set(checkpoint, artifact)
      if (artifact) this.#made.set(artifact, { model, checkpoint })
    }
    this.#see(model, everMade.length)
    this.#addAliases(model)
  }

  #see(model: ModelState, seen: number): void {
    if (this.seenOf(model) === seen) return
    this.#seen.set(model, seen)
    this.#world.changes.changed(savedMirrors, model.record.id, model)
  }

  /** How many checkpoints of a model were looked at. */
  seenOf(model: ModelState): number {
    return this.#seen.get(model) ?? 0
  }

  /** The aliases that the artifacts of a model got from it, with the ids of their checkpoints. */
  aliasesOf(model: ModelState): ReadonlyMap<string, string> {
    return this.#aliases.get(model) ?? new Map()
  }

  /** Continues after the first `seen` checkpoints of a model of a saved world, whose artifacts have these aliases. */
  restoreSeen(model: ModelState, seen: number, aliases: ReadonlyMap<string, string>): void {
    this.#seen.set(model, seen)
    if (aliases.size > 0) this.#aliases.set(model, aliases)
  }

  /** Finds the artifacts of a saved world that are checkpoints. The next update deletes those without a checkpoint. */
  restoreArtifacts(artifacts: Iterable<Artifact>): void {
    const checkpoints = [...this.#world.store.modelStates].flatMap((model) =>
      model.checkpoints.all.map((checkpoint) => ({ model, checkpoint })),
    )
    const byId = new Map(checkpoints.map((made) => [made.checkpoint.id, made]))
    for (const artifact of artifacts) {
      const { checkpoint: id, state } = artifact
      if (id === undefined) continue
      const made = byId.get(id)
      if (made) this.#made.set(artifact, made)
      if (made || state !== 'DELETED') this.#artifacts.set(made?.checkpoint ?? { id }, artifact)
    }
  }

  #forget(checkpoint: Pick<Checkpoint, 'id'>, artifact: Artifact | undefined): void {
    this.#artifacts.delete(checkpoint)
    if (artifact) this.#platform.artifacts.delete(artifact, { withAliases: true }, AUTHOR)
  }

  /**
   * Deletes the artifacts of a model that is about to be deleted. The versions of a later model of that name begin
   * with 0, as the versions of its checkpoints do.
   */
  forgetModel(model: ModelState): void {
    if (this.seenOf(model) === 0) return
    this.#mirror(() => {
      for (const checkpoint of model.checkpoints.everMade) {
        if (this.#artifacts.has(checkpoint))
          this.#forget(checkpoint, this.#artifacts.get(checkpoint))
      }
      const collection = this.#collectionOf(model)
      if (collection?.size === 0) this.#platform.artifacts.deleteCollection(collection, AUTHOR)
    })
  }

  /** The version that shows a checkpoint, or that will when a client asks for artifacts. */
  versionOf(model: ModelState, checkpoint: Checkpoint, place?: RegistryPlace): CheckpointVersion {
    const artifact = this.#artifacts.get(checkpoint)
    const { memberships = [], version } = artifact ?? {}
    const links = memberships.filter((each) => each !== version)
    const linked = links.find(({ collection: { project, name } }) => {
      return project.name === place?.registry && name === place.collection
    })
    return {
      id: artifact?.id ?? artifactIdOf(checkpoint.id),
      index: (linked ?? version)?.index ?? this.#nextIndexOf(model, checkpoint),
      metadata: artifact ? readMetadata(artifact) : metadataOf(model, checkpoint),
      linked: links.map(({ collection: { project, name } }) => {
        return { registry: project.name, collection: name }
      }),
    }
  }

  /** The index of the version that a checkpoint is going to be. */
  #nextIndexOf(model: ModelState, checkpoint: Checkpoint): number {
    const index = model.checkpoints.versionOf(checkpoint)
    const later = index - this.seenOf(model)
    return later < 0 ? index : (this.#collectionOf(model)?.nextIndex ?? 0) + later
  }

  #collectionOf({ record: { entity, project, name } }: ModelState): ArtifactCollection | undefined {
    return this.#platform.projects.collectionNamed(entity, project, name)
  }

  /** Does to an artifact what happened to its checkpoint. */
  follow(event: EngineEvent): void {
    const { artifacts } = this.#platform
    if (event.type === 'tag_added') {
      this.#change(event, (artifact) => {
        artifacts.revise(artifact, { tagsToAdd: [event.tag] }, AUTHOR)
      })
    } else if ('linked' in event && event.linked) {
      const { registry: project, collection } = event.linked
      const aliases = event.type === 'alias_added' ? [event.alias] : []
      const { entity } = event.model.record
      this.#change(event, (artifact) => {
        artifacts.links.link(artifact, { entity, project, collection, aliases }, AUTHOR)
      })
    }
  }

  #change(
    { model, checkpoint }: { model: ModelState; checkpoint: Checkpoint },
    change: (artifact: Artifact) => void,
  ): void {
    this.#mirror(() => {
      this.#updateModel(model)
      const artifact = this.#artifacts.get(checkpoint)
      if (artifact?.state !== 'COMMITTED') return
      this.#noteProblem(model, 'its artifact did not change', () => change(artifact))
    })
  }

  /** Does something to an artifact. A checkpoint may have what an artifact may not, such as the alias `100%`. */
  #noteProblem<Done>({ record }: ModelState, problem: string, work: () => Done): Done | undefined {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      this.#world.journal.note(`${record.name}: ${problem}: ${error.message}`)
      return undefined
    }
  }

  /** Gives a checkpoint the alias that a client gave to its artifact, or takes it away, so that chats know it. */
  adopt(change: PlatformChange): void {
    if (change.type !== 'alias_added' && change.type !== 'alias_removed') return
    const { alias, membership } = change
    if (membership.collection.kind === 'linked' || OF_EACH_VERSION.test(alias)) return
    const isAdded = change.type === 'alias_added'
    const made = isAdded ? this.#made.get(membership.artifact) : undefined
    const before = isAdded ? change.movedFrom : membership
    const { model } = made ?? (before && this.#made.get(before.artifact)) ?? {}
    if (!model) return
    if (made) model.aliases.set(alias, made.checkpoint)
    else model.aliases.delete(alias)
    this.#world.changes.changed(savedAliases, model.record.id, model)
    this.#noteAliases(model)
  }

  #put(model: ModelState, checkpoint: Checkpoint): Artifact | undefined {
    const { entity, project, name } = model.record
    const { step, createdAt } = checkpoint
    const place = { entity, project, collection: name, type: ADAPTER_TYPE }
    const known = artifactIdOf(checkpoint.id)
    const id = this.#platform.artifacts.withId(known) ? undefined : known
    const metadata = JSON.stringify(metadataOf(model, checkpoint))
    const aliases = [`step${step}`]
    const facts = { id, metadata, aliases, createdAt, checkpoint: checkpoint.id }
    return this.#noteProblem(model, `checkpoint ${step} is not an artifact`, () => {
      const files = adapterFiles(model.record.base_model, (...parts) => {
        return this.#world.random.unit('adapter', checkpoint.id, ...parts)
      })
      return putArtifact(this.#platform, place, { files, ...facts }, AUTHOR)
    })
  }

  #addAliases(model: ModelState): void {
    const known = this.aliasesOf(model)
    for (const [alias, checkpoint] of model.aliases) {
      const version = this.#artifacts.get(checkpoint)?.version
      if (!version || known.get(alias) === checkpoint.id) continue
      this.#noteProblem(model, `its artifact did not get the alias ${quoted(alias)}`, () => {
        this.#platform.artifacts.addAliases(new Map([[version, [alias]]]), AUTHOR)
      })
    }
    this.#noteAliases(model)
  }

  #noteAliases(model: ModelState): void {
    const given = new Map([...model.aliases].map(([alias, { id }]) => [alias, id]))
    if (isSame(given, this.aliasesOf(model))) return
    this.#aliases.set(model, given)
    this.#world.changes.changed(savedMirrors, model.record.id, model)
  }
}

/** Returns the id of the artifact of a checkpoint: `Artifact:` and a number, in base64. */
export function artifactIdOf(seed: string): string {
  const number = 100_000_000 + (hash128(seed)[0] % 900_000_000)
  return btoa(`Artifact:${number}`)
}

/** The metadata of an artifact. Only a JSON object can be one. */
export function readMetadata({ metadata }: Artifact): Record<string, unknown> {
  return JSON.parse(metadata) as Record<string, unknown>
}

function metadataOf(
  { record }: ModelState,
  { step, metrics }: Checkpoint,
): Record<string, unknown> {
  return { step, base_model: record.base_model, ...Object.fromEntries(metrics) }
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
}

/** The aliases that the service itself gives to each version. */
const OF_EACH_VERSION = /^(?:latest|step\d+)$/

const AUTHOR = { user: LOCAL_ACCOUNT.user }
