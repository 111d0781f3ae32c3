import type { Trial, TrialResult } from './exploration.js'

/** The trials of the shrinker get this many times as long as the slowest run that ended by itself. */
const FACTOR = 4
/** And at least this many milliseconds. */
const LEAST = 1000
/** The first run gets this many times the limit, because it also loads code. By default, all others get so many times what it took. */
const FIRST = 3

/** How long a trial may take. Code that hangs costs the whole time, and the shrinker tries it many times. */
export class Patience {
  /** Milliseconds: what the user says, or the least. */
  readonly #least: number
  readonly #isDefault: boolean
  #slowest = 0
  #first = 0
  /** The slowest run after the first one that reached its end. */
  #later = 0

  /** @param isDefault Whether the user did not say. A slow program on a busy machine then gets more time. */
  constructor(timeout: number, { isDefault }: { isDefault: boolean }) {
    this.#least = timeout
    this.#isDefault = isDefault
  }

  /** The most milliseconds of a run after the first one. */
  get timeout(): number {
    // Later runs are often copies of a program that has loaded its code.
    return this.#isDefault
      ? Math.max(this.#least, FIRST * (this.#later || this.#first))
      : this.#least
  }

  /** The most milliseconds of a trial. */
  limitOf({ kind, number }: Trial): number {
    if (number === 1) return FIRST * this.timeout
    if (kind !== 'shrink' || this.#slowest === 0) return this.timeout
    return Math.min(this.timeout, Math.max(LEAST, FACTOR * this.#slowest))
  }

  /** Notes how long a trial took. */
  ended({ ended, took }: TrialResult): void {
    if (this.#slowest === 0) this.#first = took
    else if (ended === 'success') this.#later = Math.max(this.#later, took)
    if (ended !== 'timeout') this.#slowest = Math.max(this.#slowest, took)
  }
}
