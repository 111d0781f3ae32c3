import { STRICT } from './reader.js'
import type { Schema } from './schema.js'

export const anything: Schema<unknown> = {
  label: 'any',
  // In a union this ranks below a variant that fits as it is, and above one that has to bend.
  read(input, reader) {
    reader.bend(STRICT)
    return input
  },
  describe: () => ({}),
}
