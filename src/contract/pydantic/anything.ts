import { STRICT } from './reader.js'
import type { Schema } from './schema.js'

export const anything: Schema<unknown> = {
  label: 'any',
  // In a union this ranks below a variant that matches exactly, and above one that needs a conversion.
  read(input, reader) {
    reader.bend(STRICT)
    return input
  },
  describe: () => ({}),
}
