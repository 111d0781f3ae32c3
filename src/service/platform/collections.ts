import { Version, type Artifact, type ArtifactCollection } from './artifact.js'
import type { ArtifactIndex } from './artifact-index.js'
import { Collection } from './collection.js'
import { newId, newUnusedId, type PlatformContext } from './context.js'
import { checkLabels } from './limits.js'
import { checkName } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Projects } from './projects.js'

/** Which collection artifacts are in. */
export interface CollectionPlace {
  readonly entity: string
  readonly project: string
  readonly collection: string
  readonly type: string
}

/** The collections of artifacts of a world. */
export class Collections {
  readonly #context: PlatformContext
  readonly #projects: Projects
  readonly #index: ArtifactIndex

  constructor(context: PlatformContext, projects: Projects, index: ArtifactIndex) {
    this.#context = context
    this.#projects = projects
    this.#index = index
  }

  /** Finds or creates a collection. Its place was checked. */
  open(
    place: CollectionPlace,
    kind: ArtifactCollection['kind'],
    author: Author,
  ): ArtifactCollection {
    const { entity, project: projectName, collection: name, type } = place
    const project = this.#projects.open(entity, projectName, author)
    const known = project.collections.get(name)
    if (known) return known
    const isUsed = (id: string): boolean => this.#index.collectionWithId(id) !== undefined
    const context = this.#context
    const id = newUnusedId(isUsed, context, 'ArtifactCollection', entity, projectName, name)
    const at = context.now()
    const made = { name, type, project, kind, createdAt: at, updatedAt: at }
    const collection = new Collection<Version>(id, made)
    project.collections.set(name, collection)
    this.#projects.addType(project, type)
    this.#index.addCollection(collection)
    return collection
  }

  /**
   * Gives a collection another name.
   *
   * @throws {PlatformError} When the name is not allowed, or another collection of the project has it.
   */
  rename(collection: ArtifactCollection, name: string): void {
    if (name === collection.name) return
    checkName('collection', name)
    const { project } = collection
    const collections = this.#projects.get(project.entity, project.name).collections
    if (collections.has(name)) {
      throw new PlatformError('conflict', `The project has a collection ${quoted(name)} already.`)
    }
    collection.name = name
    // They keep their order.
    const all = [...collections.values()]
    collections.clear()
    for (const each of all) collections.set(each.name, each)
    this.#changed(collection)
  }

  describe(collection: ArtifactCollection, description: string): void {
    collection.description = description
    this.#changed(collection)
  }

  #changed(collection: ArtifactCollection): void {
    this.#context.changed('collection', collection.id, collection)
  }

  /**
   * Gives a collection another type, which its artifacts then have.
   *
   * @throws {PlatformError} When the type is not allowed.
   */
  retype(collection: ArtifactCollection, type: string): void {
    const { project } = collection
    this.#projects.addType(this.#projects.get(project.entity, project.name), type)
    collection.type = type
    this.#changed(collection)
  }

  /**
   * Adds tags to a collection.
   *
   * @throws {PlatformError} When a tag is not allowed. Nothing changes.
   */
  addTags(collection: ArtifactCollection, tags: readonly string[], author: Author): void {
    for (const tag of tags) checkName('tag', tag)
    checkLabels(this.#context.limits, collection.tags, tags)
    const added = new Set(tags.filter((tag) => !collection.tags.has(tag)))
    for (const tag of added) collection.tags.add(tag)
    this.#changed(collection)
    for (const tag of added) {
      this.#context.report({ type: 'collection_tag_added', collection, tag }, author)
    }
  }

  removeTags(collection: ArtifactCollection, tags: readonly string[], author: Author): void {
    const removed = tags.filter((tag) => collection.tags.delete(tag))
    this.#changed(collection)
    for (const tag of removed) {
      this.#context.report({ type: 'collection_tag_removed', collection, tag }, author)
    }
  }

  /** Adds the next version to a collection. */
  addVersion(collection: ArtifactCollection, artifact: Artifact): Version {
    const context = this.#context
    const { id: collectionId, nextIndex: index } = collection
    const id = newId(context, 'ArtifactCollectionMembership', collectionId, index)
    const version = new Version(id, { collection, artifact, index, createdAt: context.now() })
    collection.add(version)
    artifact.memberships.push(version)
    this.#changed(collection)
    context.changed('version', id, version)
    return version
  }

  /** Removes a version from its collection. */
  removeVersion(version: Version): void {
    const { collection, artifact } = version
    collection.remove(version)
    artifact.memberships.splice(artifact.memberships.indexOf(version), 1)
    this.#context.changed('version', version.id, undefined)
  }

  /** Removes a collection that has no versions any more. */
  remove(collection: ArtifactCollection): void {
    const { project, name } = collection
    this.#projects.named(project.entity, project.name)?.collections.delete(name)
    this.#index.removeCollection(collection)
  }
}
