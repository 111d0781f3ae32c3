import { SeededRandom } from '../../src/base/random/random.js'

/** Makes random choices. The same seed and name give the same sequence of choices. */
export class Draw {
  readonly #random: SeededRandom
  readonly #name: string
  #draws = 0

  constructor(seed: number, name: string) {
    this.#random = new SeededRandom(seed)
    this.#name = name
  }

  /** A number in [0, 1). */
  unit(): number {
    return this.#random.unit(this.#name, this.#draws++)
  }

  /** True with the given probability. */
  isHit(rate: number): boolean {
    return this.unit() < rate
  }

  /** A number from 0 to `most`. */
  upTo(most: number): number {
    return this.below(most + 1)
  }

  /** An integer from 0 to `limit` − 1. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.upTo(values.length - 1)]!
  }

  /** A text of the given length, made of the given characters. */
  text(characters: string, length: number): string {
    const each = Array.from(characters)
    return Array.from({ length }, () => this.oneOf(each)).join('')
  }
}
