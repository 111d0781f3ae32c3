import { EmulatorError } from '../text/emulator-error.js'

/** Raised where a test asks for what cannot be arranged. Code `SVTRAIN_CANNOT_ARRANGE`. */
export class ArrangeError extends EmulatorError {
  override readonly name = 'ArrangeError'
  readonly code = 'SVTRAIN_CANNOT_ARRANGE'
}
