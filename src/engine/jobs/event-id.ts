import { formatUuid, mix32, type Hash128 } from '../../random/random.js'

/**
 * Computes the event ids of a job from the index of the event, and back. Without a table of ids, events
 * need no memory, and a cursor is found equally fast among ten and a million events.
 *
 * The first half of the UUID identifies the job. The second half is the index, scrambled by a four-round
 * Feistel network over two halves of 24 bits.
 */
export class EventIds {
  readonly #hash: Hash128
  readonly #prefix: string

  constructor(hash: Hash128) {
    this.#hash = hash
    this.#prefix = formatUuid(hash[0], hash[1], 0, 0).slice(0, 18)
  }

  /** The id of the event at `index` (0 to 2^48 - 1). */
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
    return formatUuid(this.#hash[0], this.#hash[1], third, fourth)
  }

  /** The index of the event with that id. Undefined if it is not an id of this job. */
  indexOf(id: string): number | undefined {
    if (!id.startsWith(this.#prefix)) return undefined
    const tail = Number.parseInt(id.slice(24), 16)
    let left = Math.floor(tail / HALF)
    let right = tail % HALF
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const previous = right ^ this.#round(left, round)
      right = left
      left = previous
    }
    const index = left * HALF + right
    // The id of the index must be the same text. This refuses upper case, other variants and noise.
    return this.at(index) === id ? index : undefined
  }

  #round(half: number, round: number): number {
    return mix32(half ^ this.#hash[3] ^ Math.imul(round + 1, 0x9e3779b1)) & (HALF - 1)
  }
}

const HALF = 2 ** 24
const ROUNDS = 4
