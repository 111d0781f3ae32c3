import { EmulatorError } from '../text/emulator-error.js'

/** Raised where the command line or the environment cannot be used. The command exits with 2. */
export class UsageError extends EmulatorError {
  override readonly name = 'UsageError'
  readonly code = 'SVTRAIN_USAGE'
  /** Whose help tells more: `play`, `scenarios new`, or the empty string. */
  readonly command: string

  constructor(message: string, command = '') {
    super(message)
    this.command = command
  }
}
