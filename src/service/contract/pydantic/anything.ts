import { STRICT } from './reader.js'
import type { Schema } from './schema.js'

export const anything: Schema<unknown> = {
  label: 'any',
  parts: { kind: 'anything' },
  // In a union this ranks lower than a variant that matches exactly, and higher than one that converts the value.
  read(input, reader) {
    reader.bend(STRICT)
    return input
  },
  describe: () => ({}),
}
