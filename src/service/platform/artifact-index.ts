import type { Artifact, ArtifactCollection, Version } from './artifact.js'
import { LATEST } from './collection.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Project } from './project.js'

/** Programs name an artifact by the id of the client for a short time only. */
const MOST_CLIENT_IDS = 100_000

/** Finds the artifacts of a world, and their collections. */
export class ArtifactIndex {
  /** By id. One that was committed with a known content has the id of that one, too. */
  readonly #byId = new Map<string, Artifact>()
  /** By the ids that clients gave them. */
  readonly #byClientId = new Map<string, Artifact>()
  readonly #collections = new Map<string, ArtifactCollection>()
  #count = 0

  /** How many there are, those that are not committed included, without deleted ones. */
  get count(): number {
    return this.#count
  }

  /** All artifacts, deleted ones included, in the order of their creation. */
  get all(): Iterable<Artifact> {
    return new Set(this.#byId.values())
  }

  withId(id: string): Artifact | undefined {
    return this.#byId.get(id)
  }

  withClientId(id: string): Artifact | undefined {
    return this.#byClientId.get(id)
  }

  collectionWithId(id: string): ArtifactCollection | undefined {
    return this.#collections.get(id)
  }

  /** @throws {PlatformError} When there is no such artifact. */
  get(id: string): Artifact {
    const artifact = this.#byId.get(id)
    if (artifact) return artifact
    throw new PlatformError('not-found', `There is no artifact with the id ${quoted(id)}.`)
  }

  /** The version that `name:alias` means in a project. Without an alias, the latest. */
  find(project: Project, reference: string): Version | undefined {
    const [name = '', alias = LATEST] = reference.split(':')
    return project.collections.get(name)?.find(alias)
  }

  add(artifact: Artifact): void {
    this.#byId.set(artifact.id, artifact)
    this.#count++
  }

  /** Counts an artifact no longer. */
  remove(): void {
    this.#count--
  }

  /** Lets the id of an artifact mean another one. */
  rename(id: string, artifact: Artifact): void {
    this.#byId.set(id, artifact)
  }

  addCollection(collection: ArtifactCollection): void {
    this.#collections.set(collection.id, collection)
  }

  removeCollection({ id }: ArtifactCollection): void {
    this.#collections.delete(id)
  }

  rememberClientId(id: string | undefined, artifact: Artifact): void {
    if (id === undefined || id === '') return
    this.#byClientId.set(id, artifact)
    const [oldest] = this.#byClientId.keys()
    if (this.#byClientId.size > MOST_CLIENT_IDS) this.#byClientId.delete(oldest!)
  }
}
