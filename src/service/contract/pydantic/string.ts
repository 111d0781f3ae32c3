import type { Schema } from './schema.js'

export const string: Schema<string> = {
  label: 'str',
  holds: (input) => typeof input === 'string',
  read(input, reader) {
    if (typeof input === 'string') return input
    return reader.refuse('string_type', 'Input should be a valid string', input)
  },
  describe: () => ({ type: 'string' }),
}
