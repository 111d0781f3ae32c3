import { shortened } from '../../base/text/shortened.js'

/** Why a call of the platform is refused. */
export type PlatformProblem = 'invalid' | 'not-found' | 'conflict' | 'limit' | 'disk' | 'lost'

/**
 * Thrown by the records of runs and artifacts, before anything changes. Its message says what failed, with the value,
 * and what is allowed. The wire makes an error of its own form from it.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly problem: PlatformProblem
  constructor(problem: PlatformProblem, message: string) {
    super(message)
    this.problem = problem
  }
}

/** Shortens a value that a message quotes. */
export function quoted(value: string): string {
  return JSON.stringify(shortened(value, 100))
}

/** The error of a call that names something that is not there. */
export function unknownId(kind: string, id: string): PlatformError {
  return new PlatformError('not-found', `There is no ${kind} with the id ${quoted(id)}.`)
}

/** The error of a change of a deleted artifact. */
export function deletedError(name: string): PlatformError {
  return new PlatformError('conflict', `The artifact ${quoted(name)} is deleted.`)
}
