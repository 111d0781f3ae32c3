import type { Artifact, ArtifactCollection } from './artifact.js'
import type { ArtifactLinks } from './artifact-links.js'
import type { ArtifactParts } from './artifact-parts.js'
import { LATEST } from './collection.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'

interface DeletionParts extends ArtifactParts {
  readonly links: ArtifactLinks
}

/** Deletes artifacts and collections. */
export class ArtifactDeletion {
  readonly #parts: DeletionParts

  constructor(parts: DeletionParts) {
    this.#parts = parts
  }

  /**
   * Deletes an artifact with its files, and its links.
   *
   * @param withAliases Whether it may have aliases besides `latest`.
   * @throws {PlatformError} When it has some, and may have none. Nothing changes.
   */
  delete(
    artifact: Artifact,
    { withAliases = false }: { withAliases?: boolean | undefined },
    author: Author,
  ): void {
    if (artifact.state === 'DELETED') return
    const aliases = artifact.memberships.flatMap((each) => [...each.aliases])
    const others = aliases.filter((alias) => alias !== LATEST)
    if (others.length > 0 && !withAliases) {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} has the aliases ${others.slice(0, 10).join(', ')}. Delete it with its aliases, or remove them before.`,
      )
    }
    const { context, index, contents, uploads, links } = this.#parts
    contents.release(artifact)
    uploads.forget(artifact)
    for (const membership of artifact.memberships.slice()) links.leave(membership, author)
    artifact.state = 'DELETED'
    index.remove(artifact)
    context.texts.add(-artifact.characters)
    context.report({ type: 'artifact_deleted', artifact }, author)
  }

  /** Deletes a collection with all of its versions. Artifacts that are only linked to it stay. */
  deleteCollection(collection: ArtifactCollection, author: Author): void {
    const members = [...collection.members]
    for (const { artifact } of members) {
      if (collection.kind === 'source') this.delete(artifact, { withAliases: true }, author)
      else this.#parts.links.unlink(artifact, collection, author)
    }
    this.#parts.collections.remove(collection)
  }
}
