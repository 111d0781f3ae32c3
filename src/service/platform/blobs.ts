import type { ReceivedContent } from '../contract/content.js'
import { toBase64 } from '../../base/text/bytes.js'
import type { BlobFiles, ContentWriter } from './blob-files.js'
import { md5Of } from './digest.js'
import { checkLimit, type PlatformLimits } from './limits.js'
import { MemoryWriter } from './memory-writer.js'
import { PlatformError } from './platform-error.js'

/** Hears of a content that is new or gone, with its size in bytes. */
type ContentChange = (digest: string, size: number) => void

export interface BlobOptions {
  readonly limits: PlatformLimits
  /** Where contents are, if not in memory. */
  readonly files?: BlobFiles | undefined
  readonly changed?: ContentChange | undefined
}

/** A content that can be read a part at a time. */
export interface OpenContent {
  /** Bytes. */
  readonly size: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
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
  /** Files that were given up since the last save: until then, the saved records name them. */
  readonly #unused = new Set<string>()
  #isSwept = false
  #bytes = 0
  /** How many bytes are in memory of contents that are on their way. */
  #arriving = 0

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
    return toBase64(md5Of(bytes))
  }

  /**
   * Begins a content that arrives in parts.
   *
   * @throws {PlatformError} When nothing can be written.
   */
  begin(): ContentWriter {
    if (this.#files) return this.#files.begin()
    return new MemoryWriter((more) => {
      if (more > 0) this.checkRoom(more)
      this.#arriving += more
    })
  }

  /** @throws {PlatformError} When there is no room for `more` bytes. */
  checkRoom(more: number): void {
    if (this.#files) return
    checkLimit(this.#limits, 'blobBytes', this.#bytes + this.#arriving + more)
  }

  /**
   * Stores a content for an entity, or counts one more use of it.
   *
   * @param expected The MD5 that the content must have, in base64. Undefined: any.
   * @returns The MD5, in base64.
   * @throws {PlatformError} When it is another content, or there is no room. Nothing is stored.
   */
  put(entity: string, content: Uint8Array | ReceivedContent, expected?: string): string {
    const isWhole = content instanceof Uint8Array
    if (!isWhole && content.problem) throw content.problem
    const size = isWhole ? content.length : content.size
    const digest = isWhole ? this.digestOf(content) : content.digest!
    if (expected !== undefined && digest !== expected) {
      throw new PlatformError(
        'invalid',
        `The content has ${size} bytes with the MD5 ${digest}; expected the MD5 ${expected}. Send the whole file again.`,
      )
    }
    const known = this.#blobs.get(digest)
    if (known && this.#isThere(known)) addUse(known, entity)
    else {
      // Who uses one that was lost has it again.
      const uses = known?.uses ?? new Map<string, number>()
      const blob = { digest, size, bytes: this.#stored(digest, content), uses }
      addUse(blob, entity)
      this.#add(blob)
      this.#changed(digest, size)
    }
    return digest
  }

  /**
   * Stores a content that nobody uses yet.
   *
   * @returns Its bytes, if they stay in memory.
   */
  #stored(digest: string, content: Uint8Array | ReceivedContent): Uint8Array | undefined {
    if (!(content instanceof Uint8Array)) return content.keep()
    this.checkRoom(content.length)
    if (!this.#files) return content
    this.#files.write(digest, content)
    return undefined
  }

  #add(blob: Blob): void {
    this.#blobs.set(blob.digest, blob)
    this.#bytes += blob.bytes?.length ?? 0
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

  /** Reads a content for the saved world, for no entity. Undefined: it is gone, or its file is lost. */
  bytesOf(digest: string): Uint8Array | undefined {
    const blob = this.#blobs.get(digest)
    if (!blob || !this.#isThere(blob)) return undefined
    try {
      return blob.bytes ?? this.#files!.read(digest, blob.size)
    } catch (error) {
      if (error instanceof PlatformError && error.problem === 'lost') return undefined
      throw error
    }
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
    else if (restored) this.#add({ ...restored, uses: usedBy(entity) })
    return (known ?? restored)?.size ?? 0
  }

  /** Lets an entity have all contents that nobody has adopted, because nobody knows which of them it has. */
  adoptRest(entity: string): void {
    for (const digest of this.#restored.keys()) {
      if (!this.isStored(digest)) this.adopt(entity, digest)
    }
  }

  /** Forgets the contents of a saved world that nobody has adopted. */
  endRestoring(): void {
    this.#restored.clear()
  }

  /** Whether nobody has to send a content again: an entity has it, and its file was not removed. */
  isThere(entity: string, digest: string): boolean {
    return this.has(entity, digest) && this.#isThere(this.#blobs.get(digest)!)
  }

  #isThere({ bytes, digest, size }: Blob): boolean {
    return bytes !== undefined || this.#files?.has(digest, size) === true
  }

  /** Whether an entity has a content. */
  has(entity: string, digest: string): boolean {
    return this.#blobs.get(digest)?.uses.has(entity) === true
  }

  /** The size of a content in bytes. Undefined if the entity does not have it. */
  sizeOf(entity: string, digest: string): number | undefined {
    return this.has(entity, digest) ? this.#blobs.get(digest)!.size : undefined
  }

  /**
   * Reads a content. Undefined if the entity does not have it.
   *
   * @throws {PlatformError} When its file is missing or damaged.
   */
  read(entity: string, digest: string): Uint8Array | undefined {
    if (!this.has(entity, digest)) return undefined
    const { bytes, size } = this.#blobs.get(digest)!
    return bytes ?? this.#files?.read(digest, size)
  }

  /**
   * Opens a content, and reads it a part at a time. Undefined if the entity does not have it.
   *
   * @throws {PlatformError} When its file is missing, or has another size.
   */
  open(entity: string, digest: string): OpenContent | undefined {
    if (!this.has(entity, digest)) return undefined
    const { bytes, size } = this.#blobs.get(digest)!
    if (bytes) return { size, chunks: partsOf(bytes) }
    return this.#files && { size, chunks: this.#files.open(digest, size) }
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
    else this.#unused.add(digest)
  }

  /**
   * Removes the files of contents that nobody uses. Call it when the records of the world are saved. The first call
   * also removes files that no record has named, such as those of a process that was killed before it saved them.
   */
  removeUnused(): void {
    if (!this.#files) return
    const candidates = this.#isSwept ? this.#unused : this.#files.list()
    this.#isSwept = true
    for (const digest of candidates) {
      if (!this.#blobs.has(digest)) this.#files.remove(digest)
    }
    this.#unused.clear()
  }
}

function usedBy(entity: string): Map<string, number> {
  return new Map([[entity, 1]])
}

function addUse({ uses }: Blob, entity: string): void {
  uses.set(entity, (uses.get(entity) ?? 0) + 1)
}

const PART = 64 * 1024

function* partsOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART) yield bytes.subarray(at, at + PART)
}
