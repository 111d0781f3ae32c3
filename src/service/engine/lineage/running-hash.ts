import { mix32 } from '../../../base/random/random.js'

/** Where the halves begin: the first words of SHA-256, from the square roots of 2 and 3. Saved worlds have hashes of them. */
const START = [0x6a09e667, 0xbb67ae85] as const

/** What the halves are multiplied with, as in cyrb53. They are odd, so a step loses no bit. */
const FACTOR_A = 0x9e3779b1
const FACTOR_B = 0x5f356495

/** How many bits of the lower half are in the value: a safe integer has 53, and the other half has 32. */
const LOW_BITS = 21

/**
 * A hash of 53 bits that grows with each text and each number: FNV-1a, twice, with different factors. The halves do
 * not wait for each other, because each chat and each submit hashes all messages of its conversations.
 */
export class RunningHash {
  #a: number = START[0]
  #b: number = START[1]

  addText(text: string): void {
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, FACTOR_A)
      b = Math.imul(b ^ unit, FACTOR_B)
    }
    this.#a = a
    this.#b = b
    // Where a text ends counts: "ab" and "c" are not "a" and "bc".
    this.addNumber(-1 - text.length)
  }

  addNumber(number: number): void {
    this.#a = Math.imul(this.#a ^ number, FACTOR_A)
    this.#b = Math.imul(this.#b ^ number, FACTOR_B)
  }

  copy(): RunningHash {
    const copy = new RunningHash()
    copy.#a = this.#a
    copy.#b = this.#b
    return copy
  }

  /** A whole number of 53 bits: 32 of one half, and the high ones of the other. Each depends on both halves. */
  get value(): number {
    const low = mix32(this.#a ^ (this.#b >>> 13))
    const high = mix32(this.#b ^ low)
    return high * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS))
  }
}

/** Returns the hash of a text alone. */
export function hashOfText(text: string): number {
  const hash = new RunningHash()
  hash.addText(text)
  return hash.value
}

/** Returns the hash of token ids. 0 if there are none. */
export function hashOfIds(ids: readonly number[]): number {
  if (ids.length === 0) return 0
  const hash = new RunningHash()
  for (const id of ids) hash.addNumber(id)
  return hash.value
}
