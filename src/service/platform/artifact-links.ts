import { firstOf } from '../../base/text/counted.js'
import type { Artifact, ArtifactCollection, Version } from './artifact.js'
import type { ArtifactParts } from './artifact-parts.js'
import { LATEST } from './collection.js'
import type { CollectionPlace } from './collections.js'
import { checkLabels } from './limits.js'
import { checkAlias, checkName } from './names.js'
import { deletedError, PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'

/** A collection that an artifact is linked to. */
export interface LinkPlace extends Omit<CollectionPlace, 'type'> {
  readonly aliases?: readonly string[] | undefined
}

/** Makes artifacts versions of other collections, and ends that. */
export class ArtifactLinks {
  readonly #parts: ArtifactParts

  constructor(parts: ArtifactParts) {
    this.#parts = parts
  }

  /**
   * Makes an artifact a version of another collection, such as one of a registry. The collection is created if there
   * is none.
   *
   * @throws {PlatformError} When the artifact is not committed, or the collection cannot have it. Nothing changes.
   */
  link(artifact: Artifact, place: LinkPlace, author: Author): Version {
    this.#check(artifact, place)
    const { collections, labels } = this.#parts
    const { aliases = [] } = place
    const { type } = artifact.source
    const collection = collections.open({ ...place, type }, 'linked', author)
    const known = artifact.memberships.find((each) => each.collection === collection)
    const version = known ?? this.#add(artifact, collection, author)
    labels.addAliases(version, known ? aliases : [LATEST, ...aliases], author)
    return version
  }

  #add(artifact: Artifact, collection: ArtifactCollection, author: Author): Version {
    const { context, collections } = this.#parts
    const membership = collections.addVersion(collection, artifact)
    context.report({ type: 'artifact_linked', membership }, author)
    return membership
  }

  #check(artifact: Artifact, { entity, project, collection: name, aliases = [] }: LinkPlace): void {
    const { context, projects } = this.#parts
    if (artifact.state === 'DELETED') throw deletedError(artifact.source.name)
    if (artifact.state === 'PENDING') {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} is PENDING, so it cannot be linked. Commit it before that.`,
      )
    }
    const { type } = artifact.source
    const registry = projects.named(entity, project)
    if (registry?.allowsAllTypes === false && !registry.types.has(type)) {
      const taken = firstOf([...registry.types.keys()], 10)
      throw new PlatformError(
        'conflict',
        `The registry ${quoted(project)} takes artifacts of ${taken ? `the types ${taken}` : 'no type'}; the artifact has the type ${quoted(type)}. Add the type to the registry, or allow all types.`,
      )
    }
    projects.check(entity, project)
    checkName('collection', name)
    for (const alias of aliases) checkAlias(alias)
    const collection = projects.collectionNamed(entity, project, name)
    const known = artifact.memberships.find((each) => each.collection === collection)
    checkLabels(context.limits, known?.aliases ?? [LATEST], aliases)
    if (!collection) return
    if (collection.kind === 'source') {
      throw new PlatformError(
        'conflict',
        `The collection ${quoted(name)} has artifacts of its own, so nothing can be linked to it. Choose another name.`,
      )
    }
    if (collection.type !== type) {
      throw new PlatformError(
        'conflict',
        `The collection ${quoted(name)} has artifacts of the type ${quoted(collection.type)}; the artifact has the type ${quoted(type)}.`,
      )
    }
  }

  /** Removes an artifact from a collection that it is linked to. */
  unlink(artifact: Artifact, collection: ArtifactCollection, author: Author): void {
    const membership = artifact.memberships.find((each) => each.collection === collection)
    if (!membership || collection.kind === 'source') {
      throw new PlatformError(
        'not-found',
        `The artifact ${quoted(artifact.source.name)} is not linked to the collection ${quoted(collection.name)}.`,
      )
    }
    this.leave(membership, author)
    this.#parts.context.report({ type: 'artifact_unlinked', membership }, author)
  }

  /** Removes a version from its collection. `latest` moves to the newest one that is left. */
  leave(membership: Version, author: Author): void {
    const { collection } = membership
    const wasLatest = membership.aliases.has(LATEST)
    const { collections, labels } = this.#parts
    collections.removeVersion(membership)
    if (wasLatest && collection.newest) {
      labels.addAliases(collection.newest, [LATEST], author)
    }
  }
}
