import { forgetOldest } from '../../base/text/forget-oldest.js'
import type { Artifact, ArtifactCollection, Version } from './artifact.js'
import { LATEST } from './collection.js'
import { unknownId } from './platform-error.js'
import type { Project } from './project.js'
import type { Run } from './run.js'
import { useKey, type ArtifactUse, type RecordChange } from './savable.js'

/** Programs name an artifact by the id of the client, and by one that means another, for a short time only. */
const MOST_NAMES = 100_000

/** How many deleted artifacts are remembered: programs that deleted one may still ask for it. */
const MOST_DELETED = 2000

/** Finds the artifacts of a world, and their collections. */
export class ArtifactIndex {
  readonly #byId = new Map<string, Artifact>()
  /** An artifact that was committed with a known content is gone, and its id means the one with that content. */
  readonly #byOtherId = new Map<string, Artifact>()
  /** By the ids that clients gave them. */
  readonly #byClientId = new Map<string, Artifact>()
  readonly #collections = new Map<string, ArtifactCollection>()
  readonly #deleted = new Map<Artifact, true>()
  readonly #changed: RecordChange
  #count = 0

  constructor(changed: RecordChange) {
    this.#changed = changed
  }

  /** How many there are, those that are not committed included, without deleted ones. */
  get count(): number {
    return this.#count
  }

  /** All artifacts, those that were deleted last included, in the order of their creation. */
  get all(): Iterable<Artifact> {
    return this.#byId.values()
  }

  withId(id: string): Artifact | undefined {
    return this.#byId.get(id) ?? this.#byOtherId.get(id)
  }

  withClientId(id: string): Artifact | undefined {
    return this.#byClientId.get(id)
  }

  collectionWithId(id: string): ArtifactCollection | undefined {
    return this.#collections.get(id)
  }

  /** @throws {PlatformError} When there is no such artifact. */
  get(id: string): Artifact {
    const artifact = this.withId(id)
    if (artifact) return artifact
    throw unknownId('artifact', id)
  }

  /** The version that `name:alias` means in a project. Without an alias, the latest. */
  find(project: Project, reference: string): Version | undefined {
    const [name = '', alias = LATEST, ...rest] = reference.split(':')
    return rest.length > 0 ? undefined : project.collections.get(name)?.find(alias)
  }

  /** The ids of artifacts that are gone, each with the artifact that it means. */
  get otherIds(): ReadonlyMap<string, Artifact> {
    return this.#byOtherId
  }

  /** The ids that clients gave to artifacts, oldest first. */
  get clientIds(): ReadonlyMap<string, Artifact> {
    return this.#byClientId
  }

  /** The collections that exist, and the sources of artifacts that are deleted. */
  get allCollections(): Iterable<ArtifactCollection> {
    const byId = new Map(this.#collections)
    for (const { source } of this.all) if (!byId.has(source.id)) byId.set(source.id, source)
    return byId.values()
  }

  /** Notes that a run used an artifact. */
  use(artifact: Artifact, run: Run): void {
    artifact.addUser(run)
    this.#noteUse({ artifact, run })
  }

  /** Notes that a run, if it is one, logged the content of an artifact once more. */
  logAgain(artifact: Artifact, run: Run | undefined): void {
    if (!run || artifact.isLoggedBy(run)) return
    artifact.addLogger(run)
    this.#noteUse({ artifact, run, logs: true })
  }

  #noteUse(use: ArtifactUse): void {
    this.#changed('use', useKey(use), use)
  }

  add(artifact: Artifact): void {
    this.#byId.set(artifact.id, artifact)
    if (artifact.state === 'DELETED') this.#deleted.set(artifact, true)
    else this.#count++
    this.#changed('artifact', artifact.id, artifact)
  }

  /** Counts an artifact no longer. It is deleted. Those that were deleted first are forgotten at a limit. */
  remove(artifact: Artifact): void {
    this.#count--
    this.#deleted.set(artifact, true)
    this.#changed('artifact', artifact.id, artifact)
    const forgotten = new Set(forgetOldest(this.#deleted, MOST_DELETED))
    if (forgotten.size === 0) return
    for (const { id } of forgotten) {
      this.#byId.delete(id)
      this.#changed('artifact', id, undefined)
    }
    for (const [id, named] of this.#byOtherId) if (forgotten.has(named)) this.#forgetOtherId(id)
    for (const [id, named] of this.#byClientId) if (forgotten.has(named)) this.#forgetClientId(id)
  }

  /** Removes an artifact. From now on, its id means another one. */
  replace({ id }: Artifact, artifact: Artifact): void {
    this.#count--
    this.#byId.delete(id)
    this.#changed('artifact', id, undefined)
    this.addOtherId(id, artifact)
  }

  addOtherId(id: string, artifact: Artifact): void {
    this.#byOtherId.set(id, artifact)
    this.#changed('otherId', id, artifact)
    for (const oldest of forgetOldest(this.#byOtherId, MOST_NAMES)) this.#forgetOtherId(oldest)
  }

  #forgetOtherId(id: string): void {
    this.#byOtherId.delete(id)
    this.#changed('otherId', id, undefined)
  }

  addCollection(collection: ArtifactCollection): void {
    this.#collections.set(collection.id, collection)
    this.#changed('collection', collection.id, collection)
  }

  removeCollection(collection: ArtifactCollection): void {
    collection.isDeleted = true
    this.#collections.delete(collection.id)
    this.#changed('collection', collection.id, collection)
  }

  rememberClientId(id: string | undefined, artifact: Artifact): void {
    if (id === undefined || id === '') return
    this.#byClientId.set(id, artifact)
    this.#changed('clientId', id, artifact)
    for (const oldest of forgetOldest(this.#byClientId, MOST_NAMES)) this.#forgetClientId(oldest)
  }

  #forgetClientId(id: string): void {
    this.#byClientId.delete(id)
    this.#changed('clientId', id, undefined)
  }
}
