import { EmulatorError } from '../base/text/emulator-error.js'

/** Thrown when the command line or the environment cannot be used. The program exits with 2. */
export class UsageError extends EmulatorError {
  override readonly name = 'UsageError'
  readonly code = 'SVTRAIN_USAGE'
  /** The command whose help explains more: `play`, `scenarios new`, or the empty string. */
  readonly command: string

  constructor(message: string, command = '') {
    super(message)
    this.command = command
  }
}

/**
 * Checks that a command got a value that it cannot do without.
 *
 * @param taken What takes the value, and which: "sign takes a --secret".
 * @throws {UsageError} When the value is missing.
 */
export function assertGiven<T>(value: T | undefined, taken: string): asserts value is T {
  if (value === undefined) throw new UsageError(`${taken}; none was given.`)
}
