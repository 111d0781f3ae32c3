import { mix32 } from '../../../base/random/random.js'

/**
 * A hash of 53 bits that grows. Its two halves do not wait for each other, because each chat and each submit hashes
 * all messages of its conversations.
 */
export class RunningHash {
  #a = 0x6a09e667
  #b = 0xbb67ae85

  addText(text: string): void {
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x5f356495)
    }
    this.#a = a
    this.#b = b
    // Where a text ends counts: "ab" and "c" are not "a" and "bc".
    this.addNumber(-1 - text.length)
  }

  addNumber(number: number): void {
    this.#a = Math.imul(this.#a ^ number, 0x9e3779b1)
    this.#b = Math.imul(this.#b ^ number, 0x5f356495)
  }

  copy(): RunningHash {
    const copy = new RunningHash()
    copy.#a = this.#a
    copy.#b = this.#b
    return copy
  }

  get value(): number {
    const a = mix32(this.#a ^ (this.#b >>> 13))
    return mix32(this.#b ^ a) * HIGH + (a >>> 11)
  }
}

const HIGH = 2 ** 21

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
