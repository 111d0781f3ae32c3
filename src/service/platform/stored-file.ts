import type { ReceivedContent } from '../contract/content.js'
import { hexOf } from './digest.js'
import type { Blobs, OpenContent } from './blobs.js'
import * as field from './field.js'
import { PlatformError, quoted } from './platform-error.js'

/** The owner of a file: it knows whose content it is, and whether it may still change. */
export interface FileOwner {
  readonly entity: string
  /** Why the file can no longer change. Undefined: it can. */
  readonly sealed: string | undefined
}

/** What is saved of a file. */
export const FILE = {
  path: field.fixed(field.name),
  /** The MD5 of the content in base64. Undefined before it is uploaded. */
  digest: field.optional(field.text),
  updatedAt: field.moment,
}

/** What is saved of a file that is uploaded to an artifact. */
export const UPLOAD = {
  path: FILE.path,
  /** The MD5 that its content must have, in base64. Undefined: any. */
  expected: field.optional(field.text),
  digest: FILE.digest,
  updatedAt: FILE.updatedAt,
}

/** What a file is made of. */
export interface FileFacts {
  readonly id: string
  readonly path: string
  readonly owner: FileOwner
  /** The MD5 that its content must have, in base64. Undefined: any. */
  readonly expected?: string | undefined
  /** Called when it must be saved. */
  readonly changed: (file: StoredFile) => void
}

/** A file of a run or of an artifact. It has a name before it has a content. */
export class StoredFile {
  readonly id: string
  readonly path: string
  readonly #owner: FileOwner
  readonly #changed: (file: StoredFile) => void
  #expected: string | undefined
  #digest: string | undefined
  #size = 0
  updatedAt: number

  constructor({ id, path, owner, expected, changed }: FileFacts, at: number) {
    this.id = id
    this.path = path
    this.#owner = owner
    this.#expected = expected
    this.#changed = changed
    this.updatedAt = at
  }

  get entity(): string {
    return this.#owner.entity
  }

  /** The MD5 that its content must have, in base64. Undefined: any. */
  get expected(): string | undefined {
    return this.#expected
  }

  /** The MD5 of the content in base64. Undefined before it is uploaded. */
  get digest(): string | undefined {
    return this.#digest
  }

  /** The same as hexadecimal digits. */
  get hexDigest(): string | undefined {
    return this.#digest === undefined ? undefined : hexOf(this.#digest)
  }

  /** The size of the content in bytes. */
  get size(): number {
    return this.#size
  }

  /** @throws {PlatformError} When the owner is sealed. */
  checkOpen(): void {
    const { sealed } = this.#owner
    if (sealed === undefined) return
    throw new PlatformError('conflict', `The file ${quoted(this.path)} cannot change: ${sealed}.`)
  }

  /**
   * Replaces the content.
   *
   * @throws {PlatformError} When the owner is sealed, or the content is not the expected one. Nothing changes.
   */
  upload(content: Uint8Array | ReceivedContent, blobs: Blobs, at: number): void {
    this.checkOpen()
    const digest = blobs.put(this.entity, content, this.#expected)
    this.release(blobs)
    this.#digest = digest
    this.#size = blobs.sizeOf(this.entity, digest)!
    this.updatedAt = at
    this.#changed(this)
  }

  /** Takes the content that it has in a saved world, if it has one. */
  restore(digest: string | undefined, blobs: Blobs): void {
    this.#digest = digest
    this.#size = digest === undefined ? 0 : blobs.adopt(this.entity, digest)
  }

  /** Sets the MD5 that its content must have. Undefined: any. */
  expect(digest: string | undefined): void {
    this.#expected = digest
    this.#changed(this)
  }

  /** Sets the MD5 that its content must have. If its entity has such a content already, it takes it. */
  expectOrReuse(digest: string, blobs: Blobs): void {
    if (this.#digest !== digest) this.release(blobs)
    if (this.#digest === undefined && blobs.isThere(this.entity, digest)) {
      blobs.retain(this.entity, digest)
      this.#digest = digest
      this.#size = blobs.sizeOf(this.entity, digest) ?? 0
    }
    this.expect(digest)
  }

  /** @throws {PlatformError} When the content is lost. */
  read(blobs: Blobs): Uint8Array | undefined {
    return this.#digest === undefined ? undefined : blobs.read(this.entity, this.#digest)
  }

  /** @throws {PlatformError} When the content is lost. */
  open(blobs: Blobs): OpenContent | undefined {
    return this.#digest === undefined ? undefined : blobs.open(this.entity, this.#digest)
  }

  /** Gives its content up. */
  release(blobs: Blobs): void {
    if (this.#digest !== undefined) blobs.release(this.entity, this.#digest)
    this.#digest = undefined
    this.#size = 0
  }
}
