/** The work limit for one schema. A step is, for example, checking one value against one schema. */
export const MOST_STEPS = 150_000
/** The deepest nesting of schemas that apply to one value. */
export const DEEPEST = 200
/** The deepest nesting of schemas and values together. */
const DEEPEST_WORK = 500

/** Counts steps, so that the work for a schema has a limit that does not depend on the machine. */
export class Work {
  spent = 0
  #depth = 0
  #limit: number

  constructor(limit = MOST_STEPS) {
    this.#limit = limit
  }

  /** Allows this many further steps. */
  allow(steps: number): void {
    this.#limit = this.spent + steps
  }

  /**
   * Counts steps.
   *
   * @throws {OutOfWork} When the limit is reached.
   */
  step(count = 1): void {
    this.spent += count
    if (this.spent > this.#limit) throw new OutOfWork()
  }

  /** Runs a function `levels` levels deeper. A function that needs more of the stack takes more levels. */
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
