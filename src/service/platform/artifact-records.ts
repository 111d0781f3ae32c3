import { groupsOf } from '../../base/text/counted.js'
import type { ArtifactCollection, Version } from './artifact.js'
import type { ArtifactCreation } from './artifact-creation.js'
import type { ArtifactParts } from './artifact-parts.js'
import type { ArtifactUploads } from './artifact-uploads.js'

interface RecordParts extends ArtifactParts {
  readonly creation: ArtifactCreation
}

/** What is saved of artifacts, and how it is restored. */
export class ArtifactRecords {
  readonly #parts: RecordParts
  readonly uploads: ArtifactUploads

  constructor(parts: RecordParts) {
    this.#parts = parts
    this.uploads = parts.uploads
  }

  /** How many artifacts were ever created. */
  get created(): number {
    return this.#parts.creation.created
  }

  /** Adds a collection of a saved world, without its versions. */
  restoreCollection(collection: ArtifactCollection): void {
    if (collection.isDeleted) return
    const { entity, name } = collection.project
    this.#parts.projects.named(entity, name)?.collections.set(collection.name, collection)
    this.#parts.index.addCollection(collection)
  }

  /** Adds versions, those of each artifact in their order. */
  restoreVersions(versions: readonly Version[]): void {
    for (const version of versions) version.artifact.memberships.push(version)
    const members = groupsOf(versions, ({ collection }) => collection)
    for (const [collection, its] of members) collection.restore(its)
  }

  /** Ends a restore: counts all texts, and the artifacts that there ever were, and adopts their contents. */
  endRestoring(created: number): void {
    const { context, index, creation, contents } = this.#parts
    creation.created = created
    for (const artifact of index.all) {
      if (artifact.state !== 'DELETED') context.texts.add(artifact.characters)
    }
    contents.adopt(index.all)
  }
}
