import { EmulatorError } from '../text/emulator-error.js'

/** Raised where a world cannot be kept on disk, or read from it; `code` says why. */
export class DataFolderError extends EmulatorError {
  override readonly name = 'DataFolderError'
  readonly code: 'SVTRAIN_DATA_IN_USE' | 'SVTRAIN_DATA_DAMAGED' | 'SVTRAIN_DATA_UNUSABLE'
  constructor(code: DataFolderError['code'], message: string) {
    super(message)
    this.code = code
  }
}
