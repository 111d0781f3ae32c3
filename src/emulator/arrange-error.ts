/** Raised where a test asks for what cannot be arranged. Code `SVTRAIN_CANNOT_ARRANGE`. */
export class ArrangeError extends Error {
  override readonly name = 'ArrangeError'
  readonly code = 'SVTRAIN_CANNOT_ARRANGE'
}
