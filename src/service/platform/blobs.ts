import { toBase64 } from './digest.js'
import { checkLimit, type PlatformLimits } from './limits.js'
import { md5 } from './md5.js'
import { PlatformError } from './platform-error.js'

/** Where contents are beside memory, such as a folder. Each method works before it returns, or throws. */
export interface BlobFiles {
  write: (digest: string, bytes: Uint8Array) => void
  read: (digest: string) => Uint8Array | undefined
  remove: (digest: string) => void
}

export interface BlobOptions {
  readonly limits: PlatformLimits
  /** Where contents are, if not in memory. */
  readonly files?: BlobFiles | undefined
}

interface Blob {
  readonly digest: string
  readonly size: number
  /** Undefined if it is in a file. */
  readonly bytes: Uint8Array | undefined
  /** How often each entity uses it. A digest alone gives nobody the content of another entity. */
  readonly uses: Map<string, number>
}

/** The contents of files, once for each MD5. Contents that nobody uses any more are gone. */
export class Blobs {
  readonly #limits: PlatformLimits
  readonly #files: BlobFiles | undefined
  readonly #blobs = new Map<string, Blob>()
  #bytes = 0

  constructor({ limits, files }: BlobOptions) {
    this.#limits = limits
    this.#files = files
  }

  /** How many bytes are in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many contents there are. */
  get size(): number {
    return this.#blobs.size
  }

  /** Returns the MD5 of bytes, in base64. */
  digestOf(bytes: Uint8Array): string {
    return toBase64(md5(bytes))
  }

  /**
   * Stores a content for an entity, or counts one more use of it.
   *
   * @param expected The MD5 that the content must have, in base64. Undefined: any.
   * @returns The MD5, in base64.
   * @throws {PlatformError} When it is another content, or there is no room. Nothing is stored.
   */
  put(entity: string, bytes: Uint8Array, expected?: string): string {
    const digest = this.digestOf(bytes)
    if (expected !== undefined && digest !== expected) {
      throw new PlatformError(
        'invalid',
        `The content has ${bytes.length} bytes with the MD5 ${digest}; expected the MD5 ${expected}. Send the whole file again.`,
      )
    }
    const known = this.#blobs.get(digest)
    if (known) addUse(known, entity)
    else this.#add(entity, digest, bytes)
    return digest
  }

  #add(entity: string, digest: string, bytes: Uint8Array): void {
    const size = bytes.length
    if (this.#files) this.#files.write(digest, bytes)
    else checkLimit(this.#limits, 'blobBytes', this.#bytes + size)
    const stored = this.#files ? undefined : bytes
    this.#blobs.set(digest, { digest, size, bytes: stored, uses: new Map([[entity, 1]]) })
    if (stored) this.#bytes += size
  }

  /** Whether an entity has a content. */
  has(entity: string, digest: string): boolean {
    return this.#blobs.get(digest)?.uses.has(entity) === true
  }

  /** The size of a content in bytes. Undefined if the entity does not have it. */
  sizeOf(entity: string, digest: string): number | undefined {
    return this.has(entity, digest) ? this.#blobs.get(digest)!.size : undefined
  }

  /** Reads a content. Undefined if the entity does not have it. */
  read(entity: string, digest: string): Uint8Array | undefined {
    if (!this.has(entity, digest)) return undefined
    const { bytes } = this.#blobs.get(digest)!
    return bytes ?? this.#files?.read(digest)
  }

  /** Counts one more use of a content that an entity has. */
  retain(entity: string, digest: string): void {
    const blob = this.#blobs.get(digest)
    if (blob) addUse(blob, entity)
  }

  /** Ends one use of a content. */
  release(entity: string, digest: string): void {
    const blob = this.#blobs.get(digest)
    const uses = blob?.uses.get(entity)
    if (!blob || uses === undefined) return
    if (uses > 1) return void blob.uses.set(entity, uses - 1)
    blob.uses.delete(entity)
    if (blob.uses.size > 0) return
    this.#blobs.delete(digest)
    if (blob.bytes) this.#bytes -= blob.size
    else this.#files?.remove(digest)
  }
}

function addUse({ uses }: Blob, entity: string): void {
  uses.set(entity, (uses.get(entity) ?? 0) + 1)
}
