import { EmulatorError } from '../../base/text/emulator-error.js'

/** Thrown when a recording can't be created or read. The message names the file and the line. */
export class RecordingError extends EmulatorError {
  override readonly name = 'RecordingError'
  readonly code = 'SVTRAIN_RECORDING'
}
