import type { Problem } from './problem.js'

/** What a schema returns instead of a value. The reader has the reasons. */
export const INVALID: unique symbol = Symbol('invalid')
export type Invalid = typeof INVALID

/** How much a value had to be converted. pydantic ranks the matching variants of a union by it. */
export const LAX = 0
export const STRICT = 1
export const EXACT = 2

/**
 * The state of reading one input by its schemas.
 *
 * A quiet reader only finds out whether the input matches. It records nothing, so that the common case, a valid
 * request, is cheap. An input that does not match is read again by a reader that records all problems.
 */
export class Reader {
  readonly quiet: boolean
  readonly problems: Problem[] = []
  /** The largest conversion so far. A union chooses among matching variants by it. */
  exactness = EXACT
  /** The number of fields that were set in records so far, or -1 before the first. A union also uses it. */
  fieldsSet = -1

  constructor(quiet: boolean) {
    this.quiet = quiet
  }

  refuse(type: string, msg: string, input: unknown): Invalid {
    if (!this.quiet) this.problems.push({ type, loc: [], msg, input })
    return INVALID
  }

  refuseWith(problem: Omit<Problem, 'loc'> & { ctx: Record<string, unknown> }): Invalid {
    if (!this.quiet) {
      const { type, msg, input, ctx } = problem
      this.problems.push({ type, loc: [], msg, input, ctx })
    }
    return INVALID
  }

  /**
   * Adds a step to the locations of the problems since `mark`. It is called from the inside out, so locations
   * are reversed until `located` turns them around.
   */
  within(mark: number, segment: string | number): void {
    for (let index = mark; index < this.problems.length; index++) {
      this.problems[index]!.loc.push(segment)
    }
  }

  /** All problems, with their locations from the given place on. */
  located(place: readonly (string | number)[]): Problem[] {
    for (const problem of this.problems) {
      problem.loc.reverse()
      problem.loc.unshift(...place)
    }
    return this.problems
  }

  bend(exactness: number): void {
    if (exactness < this.exactness) this.exactness = exactness
  }

  countFields(count: number): void {
    this.fieldsSet = this.fieldsSet < 0 ? count : this.fieldsSet + count
  }
}
