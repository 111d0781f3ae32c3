import type { Schema } from './schema.js'

export const anything: Schema<unknown> = {
  label: 'any',
  // Even though nothing was bent, pydantic ranks this below a schema that says what it wants.
  read(input, reader) {
    reader.bend(0)
    return input
  },
  describe: () => ({}),
}
