/** How much may be done for one schema. A step is one schema held against one value, or the like. */
export const MOST_STEPS = 150_000
/** How many schemas may be applied to one value, one inside the other. */
export const DEEPEST = 200
/** The same, with the values inside each other that they are applied to. */
const DEEPEST_WORK = 500

/** Counts steps, so that the time a schema takes has a bound that no machine's speed changes. */
export class Work {
  spent = 0
  #depth = 0
  #limit: number

  constructor(limit = MOST_STEPS) {
    this.#limit = limit
  }

  /** Lets so many steps be taken from now on. */
  allow(steps: number): void {
    this.#limit = this.spent + steps
  }

  /** @throws {OutOfWork} if the limit is reached. */
  step(count = 1): void {
    this.spent += count
    if (this.spent > this.#limit) throw new OutOfWork()
  }

  /** Does something deeper, by one level or by as many as it takes of the stack. */
  deeper<T>(work: () => T, levels = 1): T {
    if (this.#depth + levels > DEEPEST_WORK) throw new OutOfWork()
    this.#depth += levels
    try {
      this.step()
      return work()
    } finally {
      this.#depth -= levels
    }
  }
}

export class OutOfWork extends Error {}
