import { groupsOf } from '../../base/text/counted.js'
import type { Artifact, ManifestRecord } from './artifact.js'
import type { ArtifactIndex } from './artifact-index.js'
import { newId, type PlatformContext } from './context.js'
import { checkDigest } from './digest.js'
import { checkLimit } from './limits.js'
import { checkPath } from './names.js'
import { deletedError, PlatformError, quoted } from './platform-error.js'
import type { SavedOf } from './record.js'
import { StoredFile, type FileFacts, type UPLOAD } from './stored-file.js'

/** What a new manifest is. */
export interface ManifestFacts {
  readonly type?: ManifestRecord['type'] | undefined
  readonly base?: Artifact | undefined
  readonly digest: string
  readonly path: string
}

/** A file that a client is about to upload. */
export interface NewFile {
  readonly artifact: Artifact
  readonly path: string
  /** The MD5 of its content, in base64. */
  readonly digest: string
}

/** What a client says later about a manifest. What is undefined or empty stays. */
export type ManifestRevision = {
  readonly [Name in 'base' | 'digest']?: ManifestFacts[Name] | undefined
}

/** What a manifest is made of. */
type ManifestParts = Omit<FileFacts, 'owner' | 'changed'> & Pick<ManifestRecord, 'type' | 'base'>

/** A file or a manifest of a saved world. */
type RestoredUpload = SavedOf<typeof UPLOAD> & { readonly id: string }

/** What clients upload to artifacts that are not committed. */
export class ArtifactUploads {
  readonly #context: PlatformContext
  readonly #index: ArtifactIndex

  constructor(context: PlatformContext, index: ArtifactIndex) {
    this.#context = context
    this.#index = index
  }

  /**
   * Creates the manifest of an artifact. Its content comes later.
   *
   * @param digest The MD5 of its content in base64. Empty: not known yet.
   * @throws {PlatformError} When the artifact cannot change any more.
   */
  addManifest(
    artifact: Artifact,
    { type = 'FULL', base, digest, path }: ManifestFacts,
  ): ManifestRecord {
    this.checkPending(artifact)
    const expected = digest === '' ? undefined : checkDigest(digest)
    const id = newId(this.#context, 'ArtifactManifest', artifact.id, artifact.manifests.length)
    const parts = { id, type, base, path: checkPath(path), expected }
    const manifest = this.#createManifest(artifact, parts, this.#context.now())
    this.#context.changed('manifest', id, { artifact, manifest })
    return manifest
  }

  #createManifest(
    artifact: Artifact,
    { type, base, ...facts }: ManifestParts,
    at: number,
  ): ManifestRecord {
    const { id } = facts
    const changed = (): void => this.#context.changed('manifest', id, { artifact, manifest })
    const file = new StoredFile({ ...facts, owner: artifact, changed }, at)
    const manifest: ManifestRecord = { id, type, base, file }
    artifact.manifests.push(manifest)
    this.#context.files.set(id, file)
    return manifest
  }

  /**
   * Takes what a client says later about a manifest.
   *
   * @throws {PlatformError} When the digest is none. Nothing changes.
   */
  reviseManifest(
    manifest: ManifestRecord,
    { base = manifest.base, digest = '' }: ManifestRevision,
  ): void {
    const expected = digest === '' ? manifest.file.expected : checkDigest(digest)
    manifest.base = base
    // Its base is saved with it.
    manifest.file.expect(expected)
  }

  /** The manifest with an id. */
  manifestWithId(id: string): ManifestRecord | undefined {
    for (const artifact of this.#index.all) {
      const found = artifact.manifests.find((each) => each.id === id)
      if (found) return found
    }
    return undefined
  }

  /**
   * Creates files of an artifact. A content that the entity has already is not sent again.
   *
   * @throws {PlatformError} When one of them is not allowed. Nothing is created.
   */
  addFiles(files: readonly NewFile[]): StoredFile[] {
    for (const { artifact, path, digest } of files) {
      this.checkPending(artifact)
      checkPath(path)
      checkDigest(digest)
    }
    for (const [{ uploads }, its] of groupsOf(files, ({ artifact }) => artifact)) {
      const added = new Set(its.map(({ path }) => path).filter((path) => !uploads.has(path)))
      checkLimit(this.#context.limits, 'artifactFiles', uploads.size + added.size)
    }
    return files.map((file) => this.#addFile(file))
  }

  #addFile({ artifact, path, digest }: NewFile): StoredFile {
    const { files, blobs, now } = this.#context
    const id = newId(this.#context, 'ArtifactFile', artifact.id, path)
    const known = artifact.uploads.get(path)
    const facts = { id, path, owner: artifact, expected: digest, changed: this.#changed(artifact) }
    const file = known ?? new StoredFile(facts, now())
    file.expectOrReuse(digest, blobs)
    artifact.uploads.set(path, file)
    files.set(file.id, file)
    return file
  }

  #changed(artifact: Artifact): (file: StoredFile) => void {
    return (file) => this.#context.changed('upload', file.id, { artifact, file })
  }

  /** Creates a file of a saved world. */
  restoreFile(artifact: Artifact, { updatedAt, digest, ...facts }: RestoredUpload): void {
    const { files, blobs } = this.#context
    const changed = this.#changed(artifact)
    const file = new StoredFile({ ...facts, owner: artifact, changed }, updatedAt)
    file.restore(digest, blobs)
    artifact.uploads.set(facts.path, file)
    files.set(facts.id, file)
  }

  /** Creates a manifest of a saved world. */
  restoreManifest(
    artifact: Artifact,
    { updatedAt, digest, ...parts }: RestoredUpload & Pick<ManifestRecord, 'type' | 'base'>,
  ): void {
    const { file } = this.#createManifest(artifact, parts, updatedAt)
    file.restore(digest, this.#context.blobs)
  }

  /** Ends the uploads of an artifact that is committed or deleted. */
  forget(artifact: Artifact): void {
    const { blobs, files } = this.#context
    for (const file of [
      ...artifact.uploads.values(),
      ...artifact.manifests.map((each) => each.file),
    ]) {
      file.release(blobs)
      files.delete(file.id)
    }
    artifact.uploads.clear()
    artifact.manifests.length = 0
  }

  /** @throws {PlatformError} When the files of an artifact cannot change any more. */
  checkPending(artifact: Artifact): void {
    const { state, source } = artifact
    if (state === 'DELETED') throw deletedError(source.name)
    if (state === 'PENDING') return
    throw new PlatformError(
      'conflict',
      `The artifact ${quoted(source.name)} is committed, so its files cannot change. Create a new version.`,
    )
  }
}
