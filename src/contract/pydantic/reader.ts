import type { Problem } from './problem.js'

/** What a schema answers instead of a value. The reader knows why. */
export const INVALID: unique symbol = Symbol('invalid')
export type Invalid = typeof INVALID

/** How far a value had to be bent to fit, as pydantic ranks it when several union variants fit. */
export const LAX = 0
export const STRICT = 1
export const EXACT = 2

/**
 * Travels with one input through its schemas.
 *
 * A quiet reader only learns whether the input fits: it records nothing, so that the common case, a
 * valid request, costs next to nothing. A request that does not fit is read again by a telling one.
 */
export class Reader {
  readonly quiet: boolean
  readonly problems: Problem[] = []
  /** The worst bend so far; a union reads it to choose among fitting variants. */
  exactness = EXACT
  /** Fields given to the records read so far, -1 before the first record: a union's other measure. */
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
   * Says where the problems since `mark` happened. Called while unwinding, innermost first, so
   * locations grow backwards until `located` turns them round.
   */
  within(mark: number, segment: string | number): void {
    for (let index = mark; index < this.problems.length; index++) {
      this.problems[index]!.loc.push(segment)
    }
  }

  /** All problems, each located from the given place on. */
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
