import type { Shape } from './shape.js'

/** Thrown if no value was found for a schema. */
export class Unmet extends Error {
  readonly shape: Shape | undefined

  constructor(shape: Shape | undefined, why = 'found no value that satisfies this schema.') {
    super(why)
    this.shape = shape
  }
}
