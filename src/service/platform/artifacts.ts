import { firstOf } from '../../base/text/counted.js'
import type {
  Artifact,
  ArtifactCollection,
  ArtifactFacts,
  ManifestRecord,
  Version,
} from './artifact.js'
import { ArtifactCommits } from './artifact-commits.js'
import { ArtifactContents } from './artifact-contents.js'
import { ArtifactCreation, type ArtifactPlace } from './artifact-creation.js'
import { ArtifactIndex } from './artifact-index.js'
import { ArtifactLabels, type ArtifactRevision } from './artifact-labels.js'
import { ArtifactLinks } from './artifact-links.js'
import type { ArtifactParts } from './artifact-parts.js'
import { ArtifactRecords } from './artifact-records.js'
import {
  ArtifactUploads,
  type ManifestFacts,
  type ManifestRevision,
  type NewFile,
} from './artifact-uploads.js'
import { Collections } from './collections.js'
import type { PlatformContext } from './context.js'
import { LATEST } from './collection.js'
import { checkLabels } from './limits.js'
import { checkAlias } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Projects } from './projects.js'
import type { StoredFile } from './stored-file.js'

/** The artifacts of a world. Each of its parts is a file of its own, which says what the method does and throws. */
export class Artifacts extends ArtifactIndex {
  /** What is saved of them. */
  readonly records: ArtifactRecords
  readonly contents: ArtifactContents
  readonly collections: Collections
  readonly links: ArtifactLinks
  readonly #parts: ArtifactParts
  readonly #creation: ArtifactCreation
  readonly #commits: ArtifactCommits

  constructor(context: PlatformContext, projects: Projects, digestPrefix: string) {
    super(context.changed)
    const contents = new ArtifactContents(context.blobs, digestPrefix)
    const labels = new ArtifactLabels(context)
    const collections = new Collections(context, projects, this)
    const uploads = new ArtifactUploads(context, this)
    const parts = { context, projects, index: this, collections, contents, labels, uploads }
    const creation = new ArtifactCreation(parts)
    this.#parts = parts
    this.contents = contents
    this.collections = collections
    this.links = new ArtifactLinks(parts)
    this.#creation = creation
    this.#commits = new ArtifactCommits(parts)
    this.records = new ArtifactRecords({ ...parts, creation })
  }

  create(place: ArtifactPlace, facts: ArtifactFacts, author: Author): Artifact {
    return this.#creation.create(place, facts, author)
  }

  addManifest(artifact: Artifact, facts: ManifestFacts): ManifestRecord {
    return this.#parts.uploads.addManifest(artifact, facts)
  }

  reviseManifest(manifest: ManifestRecord, revision: ManifestRevision): void {
    this.#parts.uploads.reviseManifest(manifest, revision)
  }

  manifestWithId(id: string): ManifestRecord | undefined {
    return this.#parts.uploads.manifestWithId(id)
  }

  addFiles(files: readonly NewFile[]): StoredFile[] {
    return this.#parts.uploads.addFiles(files)
  }

  commit(artifact: Artifact, author: Author): Artifact {
    return this.#commits.commit(artifact, author)
  }

  revise(artifact: Artifact, revision: ArtifactRevision, author: Author): void {
    this.#parts.labels.revise(artifact, revision, author)
  }

  /**
   * Gives versions aliases. Another version that has one of them loses it.
   *
   * @throws {PlatformError} When an alias is not allowed. Nothing changes.
   */
  addAliases(added: ReadonlyMap<Version, readonly string[]>, author: Author): void {
    const { context, labels } = this.#parts
    for (const [version, aliases] of added) {
      for (const alias of aliases) checkAlias(alias)
      checkLabels(context.limits, version.aliases, aliases)
    }
    for (const [version, aliases] of added) labels.addAliases(version, aliases, author)
  }

  removeAliases(version: Version, aliases: readonly string[], author: Author): void {
    this.#parts.labels.removeAliases(version, aliases, author)
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
        `The artifact ${quoted(artifact.source.name)} has the aliases ${firstOf(others, 10)}. Delete it with its aliases, or remove them before.`,
      )
    }
    const { context, contents, uploads } = this.#parts
    contents.release(artifact)
    uploads.forget(artifact)
    for (const membership of artifact.memberships.slice()) this.links.leave(membership, author)
    artifact.state = 'DELETED'
    this.remove(artifact)
    context.texts.add(-artifact.characters)
    context.report({ type: 'artifact_deleted', artifact }, author)
  }

  /** Deletes a collection with all of its versions. Artifacts that are only linked to it stay. */
  deleteCollection(collection: ArtifactCollection, author: Author): void {
    const members = [...collection.members]
    for (const { artifact } of members) {
      if (collection.kind === 'source') this.delete(artifact, { withAliases: true }, author)
      else this.links.unlink(artifact, collection, author)
    }
    this.collections.remove(collection)
  }
}
