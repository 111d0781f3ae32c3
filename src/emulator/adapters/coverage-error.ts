import { EmulatorError } from '../../base/text/emulator-error.js'

/** Thrown when a folder or a file of coverage cannot be used. Code `SVTRAIN_COVERAGE`. */
export class CoverageError extends EmulatorError {
  override readonly name = 'CoverageError'
  readonly code = 'SVTRAIN_COVERAGE'
}
