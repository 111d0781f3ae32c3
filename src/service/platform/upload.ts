import type { ContentReceiver } from '../contract/content.js'
import type { ContentWriter } from './blob-files.js'
import type { Blobs } from './blobs.js'
import { PlatformError } from './platform-error.js'

export interface UploadSetup {
  readonly blobs: Blobs
  /** The most bytes of one content. */
  readonly most: number
  /** How many bytes the client has announced, if it has. */
  readonly announced: number | undefined
  /** Throws if no file can take the content. */
  readonly check: () => void
}

/** A content that a client uploads. What is wrong with it is said when its file takes it. */
export class Upload implements ContentReceiver {
  readonly #most: number
  readonly #announced: number | undefined
  #writer: ContentWriter | undefined
  #size = 0
  #digest: string | undefined
  #problem: Error | undefined

  constructor({ blobs, most, announced, check }: UploadSetup) {
    this.#most = most
    this.#announced = announced
    this.#try(() => {
      check()
      this.#checkSize(announced ?? 0)
      blobs.checkRoom(announced ?? 0)
      this.#writer = blobs.begin()
    })
  }

  get size(): number {
    return this.#size
  }

  get digest(): string | undefined {
    return this.#digest
  }

  get problem(): Error | undefined {
    return this.#problem
  }

  write(bytes: Uint8Array): boolean {
    this.#try(() => {
      this.#checkSize(this.#size + bytes.length)
      this.#writer?.write(bytes)
      this.#size += bytes.length
    })
    return this.#problem === undefined
  }

  async end(): Promise<void> {
    try {
      this.#digest = await this.#writer?.finish()
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  breakOff(): void {
    const size = this.#announced === undefined ? '' : ` of ${this.#announced}`
    this.#fail(
      new PlatformError(
        'invalid',
        `The upload broke off after ${this.#size}${size} bytes, because the client left. Send the whole file again.`,
      ),
    )
  }

  keep(): Uint8Array | undefined {
    const writer = this.#writer
    if (!writer || this.#digest === undefined) throw new Error('The content has not arrived.')
    const bytes = writer.keep(this.#digest)
    this.#writer = undefined
    return bytes
  }

  discard(): void {
    this.#writer?.drop()
    this.#writer = undefined
  }

  #checkSize(size: number): void {
    if (size > this.#most) {
      throw new PlatformError(
        'limit',
        `The content has ${size} bytes or more; at most ${this.#most} are allowed in one upload. Split the file.`,
      )
    }
  }

  #try(work: () => void): void {
    if (this.#problem) return
    try {
      work()
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  #fail(problem: Error): void {
    this.#problem ??= problem
    this.discard()
  }
}
