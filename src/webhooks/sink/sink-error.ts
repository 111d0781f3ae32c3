import { EmulatorError } from '../../base/text/emulator-error.js'

/**
 * Thrown when deliveries are not as expected. Code `SVTRAIN_NOT_RECEIVED` or
 * `SVTRAIN_UNEXPECTED_DELIVERY`.
 */
export class SinkError extends EmulatorError {
  override readonly name = 'SinkError'
  readonly code: 'SVTRAIN_NOT_RECEIVED' | 'SVTRAIN_UNEXPECTED_DELIVERY'
  constructor(code: SinkError['code'], message: string) {
    super(message)
    this.code = code
  }
}
