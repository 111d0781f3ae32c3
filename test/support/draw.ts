import { SeededRandom } from '../../src/random/random.js'

/** The choices of one who chooses: the same seed and name, the same choices, one after the other. */
export class Draw {
  readonly #random: SeededRandom
  readonly #name: string
  #draws = 0

  constructor(seed: number, name: string) {
    this.#random = new SeededRandom(seed)
    this.#name = name
  }

  /** In [0, 1). */
  unit(): number {
    return this.#random.unit(this.#name, this.#draws++)
  }

  /** Whether something that happens so often happens now. */
  isHit(rate: number): boolean {
    return this.unit() < rate
  }

  /** From 0 to `most`. */
  upTo(most: number): number {
    return this.below(most + 1)
  }

  /** From 0 to what is less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  oneOf<T>(values: readonly T[]): T {
    return values[this.upTo(values.length - 1)]!
  }

  /** A text of so many of the given characters. */
  text(characters: string, length: number): string {
    const each = Array.from(characters)
    return Array.from({ length }, () => this.oneOf(each)).join('')
  }
}
