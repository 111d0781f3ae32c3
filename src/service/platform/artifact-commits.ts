import type { Artifact, ManifestRecord } from './artifact.js'
import type { ArtifactParts } from './artifact-parts.js'
import { LATEST } from './collection.js'
import { checkLabels, checkLimit } from './limits.js'
import { readManifest, type ManifestEntries } from './manifest.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'

/** Makes versions of artifacts whose files are there. */
export class ArtifactCommits {
  readonly #parts: ArtifactParts

  constructor(parts: ArtifactParts) {
    this.#parts = parts
  }

  /**
   * Makes an artifact a version of its collection: all of its files are there, and can no longer change. If its
   * content is that of the newest version, there is no new version, and the artifact is the newest one.
   *
   * @throws {PlatformError} When its manifest or a file is missing, or its digest is wrong. Nothing changes.
   */
  commit(artifact: Artifact, author: Author): Artifact {
    if (artifact.state === 'COMMITTED') return artifact
    const { context, uploads, labels } = this.#parts
    uploads.checkPending(artifact)
    const manifest = artifact.manifests.at(-1)
    const entries = this.#entriesOf(artifact, manifest)
    this.#checkDigest(artifact, manifest!, entries)
    const newest = artifact.source.newest?.artifact
    if (newest?.digest === artifact.digest) return this.#mergeInto(newest, artifact, author)
    this.#retain(artifact, manifest!, entries)
    this.#parts.collections.addVersion(artifact.source, artifact)
    artifact.state = 'COMMITTED'
    artifact.updatedAt = context.now()
    context.changed('artifact', artifact.id, artifact)
    context.report({ type: 'artifact_committed', artifact }, author)
    labels.addAliases(artifact.version!, [LATEST, ...artifact.plannedAliases], author)
    return artifact
  }

  /** The entries of the manifest, all of whose contents are there. */
  #entriesOf(artifact: Artifact, manifest: ManifestRecord | undefined): ManifestEntries {
    const { blobs, limits } = this.#parts.context
    const bytes = manifest?.file.read(blobs)
    if (!manifest || !bytes) {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} has no manifest yet. Upload the manifest before the commit.`,
      )
    }
    const entries = manifest.type === 'FULL' ? readManifest(bytes) : this.#addedEntries(artifact)
    checkLimit(limits, 'artifactFiles', entries.size)
    const missing = [...entries].filter(([, { digest, ref }]) => {
      return ref === undefined && !blobs.has(artifact.entity, digest)
    })
    const [first] = missing
    if (!first) return entries
    const [path, { digest }] = first
    throw new PlatformError(
      'conflict',
      `The artifact ${quoted(artifact.source.name)} lacks the content of ${missing.length} of its ${entries.size} files: ${quoted(path)} with the MD5 ${digest} was not uploaded. Upload it before the commit.`,
    )
  }

  /** The files that several programs add to those of other artifacts. What was written later counts. */
  #addedEntries({ manifests }: Artifact): ManifestEntries {
    const { context, contents } = this.#parts
    const added = manifests.filter(({ type }) => type !== 'FULL')
    const bases = added.flatMap(({ base }) => (base ? [...contents.of(base)] : []))
    const written = added.flatMap(({ file }) => {
      const bytes = file.read(context.blobs)
      return bytes ? [...readManifest(bytes)] : []
    })
    return new Map([...bases, ...written])
  }

  #checkDigest(artifact: Artifact, { type }: ManifestRecord, entries: ManifestEntries): void {
    if (type !== 'FULL') return
    const digest = this.#parts.contents.digestOf(entries)
    if (digest === artifact.digest) return
    throw new PlatformError(
      'invalid',
      `The digest of the artifact ${quoted(artifact.source.name)} is ${artifact.digest}; the files in its manifest have the digest ${digest}.`,
    )
  }

  /** Uses the contents of a committed artifact, in place of those of its uploads. */
  #retain(artifact: Artifact, { file, type }: ManifestRecord, entries: ManifestEntries): void {
    const { context, contents, uploads } = this.#parts
    const { blobs } = context
    const { entity } = artifact
    // It may find no room, so it comes before anything changes.
    artifact.manifestDigest =
      type === 'FULL' ? file.digest! : blobs.put(entity, mergedManifest(file.read(blobs)!, entries))
    contents.retain(artifact, entries)
    if (type === 'FULL') blobs.retain(entity, file.digest!)
    artifact.fileCount = entries.size
    artifact.size = [...entries.values()].reduce((sum, { size }) => sum + size, 0)
    uploads.forget(artifact)
  }

  #mergeInto(newest: Artifact, artifact: Artifact, author: Author): Artifact {
    const { context, index, labels, uploads } = this.#parts
    checkLabels(context.limits, newest.version!.aliases, artifact.plannedAliases)
    checkLabels(context.limits, newest.tags, artifact.tags)
    uploads.forget(artifact)
    artifact.state = 'DELETED'
    context.texts.add(-artifact.characters)
    index.logAgain(newest, artifact.run)
    for (const run of artifact.usedBy) index.use(newest, run)
    index.replace(artifact, newest)
    index.rememberClientId(artifact.clientId, newest)
    labels.addAliases(newest.version!, [...artifact.plannedAliases], author)
    labels.addTags(newest, [...artifact.tags], author)
    return newest
  }
}

/** The manifest of all files, from that of the files that were added. */
function mergedManifest(added: Uint8Array, entries: ManifestEntries): Uint8Array {
  const manifest = JSON.parse(new TextDecoder().decode(added)) as object
  const text = JSON.stringify({ ...manifest, contents: Object.fromEntries(entries) })
  return new TextEncoder().encode(text)
}
