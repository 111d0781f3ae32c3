import type { Schema } from './schema.js'

/** `None` in Python. */
export const nothing: Schema<null> = {
  label: 'none',
  holds: (input) => input === null,
  read(input, reader) {
    return input === null ? null : reader.refuse('none_required', 'Input should be None', input)
  },
  describe: () => ({ type: 'null' }),
}
