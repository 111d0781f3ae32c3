/**
 * The base class of every error that this package throws. Check `code` to tell them apart: messages
 * may change, codes do not.
 *
 * @example
 * try {
 *   emulator.clock.advance('10m')
 * } catch (error) {
 *   if (!(error instanceof EmulatorError) || error.code !== 'SVTRAIN_REAL_TIME') throw error
 * }
 */
export abstract class EmulatorError extends Error {
  /** The name of the class. */
  abstract override readonly name: string
  /** Tells errors apart, such as `SVTRAIN_OPTIONS`. `docs/reference/errors.md` lists all codes. */
  abstract readonly code: `SVTRAIN_${string}`
}
