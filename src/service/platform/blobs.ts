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

/** Hears of a content that is new or gone, with its size in bytes. */
type ContentChange = (digest: string, size: number) => void

export interface BlobOptions {
  readonly limits: PlatformLimits
  /** Where contents are, if not in memory. */
  readonly files?: BlobFiles | undefined
  readonly changed?: ContentChange | undefined
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
  readonly #changed: ContentChange
  readonly #blobs = new Map<string, Blob>()
  /** Those of a saved world that nobody has adopted yet. */
  readonly #restored = new Map<string, Omit<Blob, 'uses'>>()
  #bytes = 0

  constructor({ limits, files, changed = () => {} }: BlobOptions) {
    this.#limits = limits
    this.#files = files
    this.#changed = changed
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
    this.#changed(digest, size)
  }

  /** All contents with their sizes in bytes. Sorted, so that a restored world has the same order. */
  all(): [digest: string, size: number][] {
    return Array.from(this.#blobs.keys())
      .toSorted()
      .map((digest) => [digest, this.#blobs.get(digest)!.size])
  }

  /** Whether anybody uses a content. */
  isStored(digest: string): boolean {
    return this.#blobs.has(digest)
  }

  /** Reads a content for the saved world, for no entity. Undefined: it is gone. */
  bytesOf(digest: string): Uint8Array | undefined {
    const blob = this.#blobs.get(digest)
    return blob && (blob.bytes ?? this.#files?.read(digest))
  }

  /**
   * Takes a content of a saved world. It stays if somebody adopts it before `endRestoring`.
   *
   * @param bytes Undefined: it is in a file, whose record was saved.
   */
  restore(digest: string, size: number, bytes: Uint8Array | undefined): void {
    if (bytes && this.#files) this.#files.write(digest, bytes)
    this.#restored.set(digest, { digest, size, bytes: this.#files ? undefined : bytes })
  }

  /**
   * Counts one more use of a content of a saved world.
   *
   * @returns Its size in bytes.
   */
  adopt(entity: string, digest: string): number {
    const known = this.#blobs.get(digest)
    const restored = this.#restored.get(digest)
    if (known) addUse(known, entity)
    else if (restored) {
      this.#blobs.set(digest, { ...restored, uses: new Map([[entity, 1]]) })
      this.#bytes += restored.bytes?.length ?? 0
    }
    return (known ?? restored)?.size ?? 0
  }

  /** Forgets the contents of a saved world that nobody has adopted. */
  endRestoring(): void {
    this.#restored.clear()
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
    this.#changed(digest, blob.size)
    if (blob.bytes) this.#bytes -= blob.size
    else this.#files?.remove(digest)
  }
}

function addUse({ uses }: Blob, entity: string): void {
  uses.set(entity, (uses.get(entity) ?? 0) + 1)
}
