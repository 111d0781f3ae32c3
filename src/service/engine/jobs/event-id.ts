import { formatUuidHead, formatUuidTail, mix32, type Hash128 } from '../../../base/random/random.js'

/**
 * Computes the id of an event from its index, and the index from the id. So events need no memory for a table of
 * ids, and finding a cursor takes the same time among ten events and among a million.
 *
 * The first half of the UUID identifies the job. The second half is the index, scrambled by a four-round
 * Feistel network over two halves of 24 bits.
 */
export class EventIds {
  readonly #hash: Hash128
  readonly #head: string

  constructor(hash: Hash128) {
    this.#hash = hash
    this.#head = formatUuidHead(hash[0], hash[1])
  }

  /** Returns the id of the event at `index` (0 to 2^48 - 1). */
  at(index: number): string {
    let left = Math.floor(index / HALF)
    let right = index % HALF
    for (let round = 0; round < ROUNDS; round++) {
      const next = left ^ this.#round(right, round)
      left = right
      right = next
    }
    // The last 48 bits are the index. The eight bits before them belong to the job.
    const third = (((this.#hash[2] & 0xff) << 16) | (left >>> 8)) >>> 0
    const fourth = (((left & 0xff) << 24) | right) >>> 0
    return this.#head + formatUuidTail(third, fourth)
  }

  /** Returns the index of the event with that id. Undefined if it is not an id of this job. */
  indexOf(id: string): number | undefined {
    if (!id.startsWith(this.#head)) return undefined
    const tail = Number.parseInt(id.slice(24), 16)
    let left = Math.floor(tail / HALF)
    let right = tail % HALF
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const previous = right ^ this.#round(left, round)
      right = left
      left = previous
    }
    const index = left * HALF + right
    // The id of the index must be the same text. Any other text is refused, such as one in upper case.
    return this.at(index) === id ? index : undefined
  }

  #round(half: number, round: number): number {
    return mix32(half ^ this.#hash[3] ^ Math.imul(round + 1, 0x9e3779b1)) & (HALF - 1)
  }
}

const HALF = 2 ** 24
const ROUNDS = 4
