const FIRST_BLOCK = 4 * 1024
const LARGEST_BLOCK = 256 * 1024
/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3

/** The longest text that fits into a block, regardless of its characters. */
export const LONGEST_RECENT = Math.floor(LARGEST_BLOCK / BYTES_PER_UNIT)

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

interface Block {
  /** Undefined if it was dropped. */
  bytes: Uint8Array | undefined
  used: number
}

/** A text in memory, until newer ones need the room. */
export interface RecentText {
  /** Undefined if it was dropped. */
  readonly text: string | undefined
}

/**
 * Keeps the latest texts in a limited number of bytes. They are outside of the heap: thousands of texts that
 * live for a while and then end would make the garbage collector let the heap grow to many times their size.
 */
export class RecentTexts {
  readonly #most: number
  #blocks: Block[] = []
  #size = 0

  /** @param most The most bytes of all texts together. */
  constructor(most: number) {
    this.#most = most
  }

  /** Adds a text of at most `LONGEST_RECENT` UTF-16 units. The oldest texts are dropped to make room. */
  add(text: string): RecentText {
    const latest = this.#blocks.at(-1)
    return (latest && writeText(text, latest)) ?? writeText(text, this.#newBlock(text))!
  }

  clear(): void {
    this.#blocks = []
    this.#size = 0
  }

  #newBlock({ length }: string): Block {
    const twice = 2 * (this.#blocks.at(-1)?.bytes?.length ?? FIRST_BLOCK / 2)
    const size = Math.min(Math.max(twice, length * BYTES_PER_UNIT), LARGEST_BLOCK)
    let bytes: Uint8Array | undefined
    while (this.#size + size > this.#most && this.#blocks.length > 0) {
      const oldest = this.#blocks.shift()!
      this.#size -= oldest.bytes!.length
      // The memory is used again, so that it needs no garbage collector.
      if (oldest.bytes!.length >= size) ({ bytes } = oldest)
      oldest.bytes = undefined
    }
    const block = { bytes: bytes ?? new Uint8Array(size), used: 0 }
    this.#blocks.push(block)
    this.#size += block.bytes.length
    return block
  }
}

/** Writes a text to the end of a block. Returns undefined if there is not enough room. */
function writeText(text: string, block: Block): RecentText | undefined {
  const { bytes, used: start } = block
  if (!bytes || bytes.length - start < text.length) return undefined
  const { read, written: length } = encoder.encodeInto(text, bytes.subarray(start))
  if (read < text.length) return undefined
  block.used += length
  return new BlockText(block, start, length)
}

class BlockText implements RecentText {
  readonly #block: Block
  readonly #start: number
  readonly #length: number

  constructor(block: Block, start: number, length: number) {
    this.#block = block
    this.#start = start
    this.#length = length
  }

  get text(): string | undefined {
    const { bytes } = this.#block
    return bytes && decoder.decode(bytes.subarray(this.#start, this.#start + this.#length))
  }
}
