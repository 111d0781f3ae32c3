import { EmulatorError } from '../../base/text/emulator-error.js'

/**
 * Thrown when a world can't be saved to disk or read from it. Its code is `SVTRAIN_DATA_IN_USE` if another
 * process uses the folder, `SVTRAIN_DATA_DAMAGED` if the content can't be used, and
 * `SVTRAIN_DATA_UNUSABLE` if the system refuses access.
 */
// In a file of its own, so that the command line starts without the code that reads folders.
export class DataFolderError extends EmulatorError {
  override readonly name = 'DataFolderError'
  readonly code: `SVTRAIN_DATA_${'IN_USE' | 'DAMAGED' | 'TOO_LARGE' | 'UNUSABLE'}`
  constructor(code: DataFolderError['code'], message: string) {
    super(message)
    this.code = code
  }
}
