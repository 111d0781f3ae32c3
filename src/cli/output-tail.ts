/** The most bytes of output that are stored. */
const LONGEST_OUTPUT = 65_536

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
    let start = all.length - LONGEST_OUTPUT
    // Not inside of a character.
    while ((all[start]! & 0xc0) === 0x80) start++
    this.#chunks = [all.subarray(start)]
    this.#size = all.length - start
    this.#isCut = true
  }
}
