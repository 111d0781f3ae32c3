/** The most bytes of output that are stored. */
const LONGEST_OUTPUT = 65_536
/** Bytes up to this one are spaces, line breaks and control characters. */
const SPACE = 0x20

/** The end of an output. */
export class OutputTail {
  #chunks: Buffer[] = []
  #size = 0
  #isCut = false
  readonly #passOn: ((bytes: Buffer) => void) | undefined

  constructor(passOn?: (bytes: Buffer) => void) {
    this.#passOn = passOn
  }

  add(chunk: Buffer): void {
    this.#passOn?.(chunk)
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // Rarely, so that many small writes stay fast.
    if (this.#size > 2 * LONGEST_OUTPUT) this.#shorten()
  }

  /** The text. If something is missing, it begins with an ellipsis. */
  get text(): string {
    this.#shorten()
    const text = Buffer.concat(this.#chunks).toString('utf8')
    return this.#isCut ? `…${text}` : text
  }

  #shorten(): void {
    if (this.#size <= LONGEST_OUTPUT) return
    const all = Buffer.concat(this.#chunks)
    const start = startOfWord(all, all.length - LONGEST_OUTPUT)
    this.#chunks = [all.subarray(start)]
    this.#size = all.length - start
    this.#isCut = true
  }
}

/**
 * Where the first whole word after `from` begins. Of a secret that was cut, nobody could tell that its rest is to be
 * redacted. Without any space: where the first whole character begins.
 */
function startOfWord(bytes: Buffer, from: number): number {
  const space = bytes.subarray(from).findIndex((byte) => byte <= SPACE)
  if (space >= 0) return from + space + 1
  let start = from
  while ((bytes[start]! & 0xc0) === 0x80) start++
  return start
}
