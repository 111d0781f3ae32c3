import { joinBytes, toBase64 } from '../../base/text/bytes.js'
import type { ContentWriter } from './blob-files.js'
import { beginMd5 } from './digest.js'

/** Collects a content in memory. */
export class MemoryWriter implements ContentWriter {
  readonly #reserve: (more: number) => void
  readonly #hash = beginMd5()
  #parts: Uint8Array[] = []
  #size = 0
  #bytes: Uint8Array | undefined

  /** @param reserve Makes room for more bytes, or gives it back. Throws if there is none. */
  constructor(reserve: (more: number) => void) {
    this.#reserve = reserve
  }

  write(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#hash.update(bytes)
    this.#parts.push(bytes)
    this.#size += bytes.length
  }

  finish(): Promise<string> {
    this.#bytes = joinBytes(this.#parts)
    this.#parts = []
    return Promise.resolve(toBase64(this.#hash.digest()))
  }

  keep(): Uint8Array | undefined {
    const bytes = this.#bytes
    this.drop()
    return bytes
  }

  drop(): void {
    this.#reserve(-this.#size)
    this.#size = 0
    this.#parts = []
    this.#bytes = undefined
  }
}
