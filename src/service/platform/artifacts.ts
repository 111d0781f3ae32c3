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
import { ArtifactDeletion } from './artifact-deletion.js'
import { ArtifactIndex } from './artifact-index.js'
import { ArtifactLabels, type ArtifactRevision } from './artifact-labels.js'
import { ArtifactLinks } from './artifact-links.js'
import type { ArtifactParts } from './artifact-parts.js'
import { ArtifactRecords } from './artifact-records.js'
import { ArtifactUploads, type ManifestFacts, type NewFile } from './artifact-uploads.js'
import { Collections } from './collections.js'
import type { PlatformContext } from './context.js'
import { checkAlias } from './names.js'
import type { Author } from './platform-change.js'
import type { Project } from './project.js'
import type { Projects } from './projects.js'
import type { Run } from './run.js'
import { useKey } from './savable.js'
import type { StoredFile } from './stored-file.js'

/** The artifacts of a world. Each of its parts is a file of its own, which says what the method does and throws. */
export class Artifacts {
  /** What is saved of them. */
  readonly records: ArtifactRecords
  readonly contents: ArtifactContents
  readonly collections: Collections
  readonly links: ArtifactLinks
  readonly #parts: ArtifactParts
  readonly #creation: ArtifactCreation
  readonly #commits: ArtifactCommits
  readonly #deletion: ArtifactDeletion

  constructor(context: PlatformContext, projects: Projects, digestPrefix: string) {
    const index = new ArtifactIndex(context.changed)
    const contents = new ArtifactContents(context.blobs, digestPrefix)
    const labels = new ArtifactLabels(context)
    const collections = new Collections(context, projects, index)
    const uploads = new ArtifactUploads(context, index)
    const parts = { context, projects, index, collections, contents, labels, uploads }
    const links = new ArtifactLinks(parts)
    const creation = new ArtifactCreation(parts)
    this.#parts = parts
    this.contents = contents
    this.collections = collections
    this.links = links
    this.#creation = creation
    this.#commits = new ArtifactCommits(parts)
    this.records = new ArtifactRecords({ ...parts, creation })
    this.#deletion = new ArtifactDeletion({ ...parts, links })
  }

  get count(): number {
    return this.#parts.index.count
  }

  get all(): Iterable<Artifact> {
    return this.#parts.index.all
  }

  withId(id: string): Artifact | undefined {
    return this.#parts.index.withId(id)
  }

  withClientId(id: string): Artifact | undefined {
    return this.#parts.index.withClientId(id)
  }

  collectionWithId(id: string): ArtifactCollection | undefined {
    return this.#parts.index.collectionWithId(id)
  }

  get(id: string): Artifact {
    return this.#parts.index.get(id)
  }

  find(project: Project, reference: string): Version | undefined {
    return this.#parts.index.find(project, reference)
  }

  create(place: ArtifactPlace, facts: ArtifactFacts, author: Author): Artifact {
    return this.#creation.create(place, facts, author)
  }

  addManifest(artifact: Artifact, facts: ManifestFacts): ManifestRecord {
    return this.#parts.uploads.addManifest(artifact, facts)
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
   * Gives a version aliases. Another version that has one of them loses it.
   *
   * @throws {PlatformError} When an alias is not allowed. Nothing changes.
   */
  addAliases(version: Version, aliases: readonly string[], author: Author): void {
    for (const alias of aliases) checkAlias(alias)
    this.#parts.labels.checkAliases(version, aliases)
    this.#parts.labels.addAliases(version, aliases, author)
  }

  removeAliases(version: Version, aliases: readonly string[], author: Author): void {
    this.#parts.labels.removeAliases(version, aliases, author)
  }

  /** Notes that a run used an artifact. */
  use(artifact: Artifact, run: Run): void {
    artifact.addUser(run)
    const use = { artifact, run }
    this.#parts.context.changed('use', useKey(use), use)
  }

  delete(artifact: Artifact, options: { withAliases?: boolean | undefined }, author: Author): void {
    this.#deletion.delete(artifact, options, author)
  }

  deleteCollection(collection: ArtifactCollection, author: Author): void {
    this.#deletion.deleteCollection(collection, author)
  }
}
