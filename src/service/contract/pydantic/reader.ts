import type { Problem } from './problem.js'

/** What a schema returns if the input is not valid. The reader has the reasons. */
export const INVALID: unique symbol = Symbol('invalid')
export type Invalid = typeof INVALID

/** How much a value was converted. Pydantic ranks the matching variants of a union by it. */
export const LAX = 0
export const STRICT = 1
export const EXACT = 2

/**
 * How messages of trajectories are read. `checked`: their arrays are lists, with valid items. `clients`: the same,
 * but an answer that a client dumped may have null in fields that it did not use. `unchecked`: their arrays are
 * iterables, whose items nobody looks at. `any`: any message is accepted.
 */
export type MessageArrays = 'clients' | 'checked' | 'unchecked' | 'any'

/**
 * The state while one input is read.
 *
 * A quiet reader only finds out whether the input matches. It records nothing, so the common case, a valid request,
 * is cheap. An input that does not match is read again, with a reader that records all problems.
 */
export class Reader {
  readonly quiet: boolean
  readonly messageArrays: MessageArrays
  readonly problems: Problem[] = []
  /** The largest conversion so far. A union chooses among matching variants by it. */
  exactness = EXACT
  /** The number of fields that records have set so far. -1 before the first record. A union also uses it. */
  fieldsSet = -1

  /** Whether the input has exact values: see docs/explain/contract.md#exact-values. */
  readonly exact: boolean
  /** Whether the result depends on a number that is only known approximately. An exact reading then decides. */
  doubtful = false

  constructor(quiet: boolean, messageArrays: MessageArrays = 'checked', exact = false) {
    this.quiet = quiet
    this.messageArrays = messageArrays
    this.exact = exact
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
   * Adds a step to the locations of the problems since `mark`. Inner steps are added before outer ones, so
   * locations are reversed until `located` turns them around.
   */
  within(mark: number, segment: string | number): void {
    for (let index = mark; index < this.problems.length; index++) {
      this.problems[index]!.loc.push(segment)
    }
  }

  /** Returns all problems. Their locations begin with `place`. */
  located(place: readonly (string | number)[]): Problem[] {
    for (const problem of this.problems) {
      problem.loc.reverse()
      problem.loc.unshift(...place)
    }
    return this.problems
  }

  /** Records that a value was converted. */
  bend(exactness: number): void {
    if (exactness < this.exactness) this.exactness = exactness
  }

  /** Records that a record set this number of fields. */
  countFields(count: number): void {
    this.fieldsSet = this.fieldsSet < 0 ? count : this.fieldsSet + count
  }
}
