import { Chance } from '../../src/world/random.js'

/** The choices of one who takes part: from the seed, by who chooses, one after the other. */
export class Draws {
  readonly #chance: Chance
  readonly #who: string
  #made = 0

  constructor(seed: number, who: string) {
    this.#chance = new Chance(seed)
    this.#who = who
  }

  /** A number in [0, 1). */
  unit(): number {
    return this.#chance.unit(this.#who, this.#made++)
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  maybe(probability: number): boolean {
    return this.unit() < probability
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!
  }
}
