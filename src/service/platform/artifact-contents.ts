import type { Artifact } from './artifact.js'
import type { Blobs, OpenContent } from './blobs.js'
import { toHex } from '../../base/text/bytes.js'
import { fromHex, md5Of } from './digest.js'
import { manifestText, readManifest, type ManifestEntries, type ManifestEntry } from './manifest.js'
import { PlatformError } from './platform-error.js'

/** The files of committed artifacts. */
export class ArtifactContents {
  readonly #blobs: Blobs
  /** What the digest of an artifact begins with. */
  readonly #digestPrefix: string
  /** The entries of the manifest that was read last. */
  #lastRead: { artifact: Artifact; entries: ManifestEntries } | undefined

  constructor(blobs: Blobs, digestPrefix: string) {
    this.#blobs = blobs
    this.#digestPrefix = digestPrefix
  }

  /** The digest of an artifact with these files, in hexadecimal digits. */
  digestOf(entries: ManifestEntries): string {
    return toHex(md5Of(new TextEncoder().encode(manifestText(this.#digestPrefix, entries))))
  }

  /** The files of a committed artifact. Empty for any other. */
  of(artifact: Artifact): ManifestEntries {
    if (this.#lastRead?.artifact === artifact) return this.#lastRead.entries
    const bytes = this.#manifestOf(artifact)
    const entries = bytes ? readManifest(bytes) : new Map<string, never>()
    if (bytes) this.#lastRead = { artifact, entries }
    return entries
  }

  /** The bytes of the manifest of a committed artifact. */
  #manifestOf({ entity, manifestDigest }: Artifact): Uint8Array | undefined {
    return manifestDigest === undefined ? undefined : this.#blobs.read(entity, manifestDigest)
  }

  /**
   * Opens the content with an MD5 in hexadecimal digits, of a file of a committed artifact or of its manifest.
   *
   * @throws {PlatformError} When it is lost.
   */
  withDigest(artifact: Artifact, hexDigest: string): OpenContent | undefined {
    const digest = /^[0-9a-f]{32}$/.test(hexDigest) ? fromHex(hexDigest) : ''
    const isOwn =
      digest === artifact.manifestDigest ||
      [...this.of(artifact).values()].some((entry) => entry.digest === digest)
    return isOwn ? this.#blobs.open(artifact.entity, digest) : undefined
  }

  /**
   * Opens the content of a file of a committed artifact, to read it a part at a time.
   *
   * @throws {PlatformError} When it is lost.
   */
  open(artifact: Artifact, path: string): OpenContent | undefined {
    const entry = this.of(artifact).get(path)
    return entry && this.#blobs.open(artifact.entity, entry.digest)
  }

  /**
   * The content of a file of a committed artifact.
   *
   * @throws {PlatformError} When it is lost.
   */
  read(artifact: Artifact, path: string): Uint8Array | undefined {
    const entry = this.of(artifact).get(path)
    return entry && this.#blobs.read(artifact.entity, entry.digest)
  }

  /** Uses the contents of an artifact that is committed. */
  retain({ entity }: Artifact, entries: ManifestEntries): void {
    for (const { digest, ref } of entries.values()) {
      if (ref === undefined) this.#blobs.retain(entity, digest)
    }
  }

  /** Uses the contents of committed artifacts of a saved world. */
  adopt(artifacts: Iterable<Artifact>): void {
    const entities = new Set<string>()
    for (const artifact of artifacts) {
      const { entity, manifestDigest } = artifact
      if (manifestDigest === undefined) continue
      this.#blobs.adopt(entity, manifestDigest)
      const entries = this.#knownEntries(artifact)
      // Somebody may bring its manifest back, so its contents stay.
      if (!entries) entities.add(entity)
      for (const { digest, ref } of entries ?? []) {
        if (ref === undefined) this.#blobs.adopt(entity, digest)
      }
    }
    for (const entity of entities) this.#blobs.adoptRest(entity)
  }

  /** Gives the contents of a committed artifact up. */
  release(artifact: Artifact): void {
    const { entity, manifestDigest } = artifact
    for (const { digest, ref } of this.#knownEntries(artifact) ?? []) {
      if (ref === undefined) this.#blobs.release(entity, digest)
    }
    if (manifestDigest !== undefined) this.#blobs.release(entity, manifestDigest)
    artifact.manifestDigest = undefined
    this.#lastRead = undefined
  }

  /** The files of a committed artifact. Undefined: its manifest is lost, so nobody knows them. */
  #knownEntries(artifact: Artifact): Iterable<ManifestEntry> | undefined {
    try {
      return this.of(artifact).values()
    } catch (error) {
      if (error instanceof PlatformError && error.problem === 'lost') return undefined
      throw error
    }
  }
}
