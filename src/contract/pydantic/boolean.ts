import { LAX } from './reader.js'
import type { Schema } from './schema.js'

const WORDS = new Map([
  ...['1', 'on', 't', 'true', 'y', 'yes'].map((word) => [word, true] as const),
  ...['0', 'off', 'f', 'false', 'n', 'no'].map((word) => [word, false] as const),
])

// A whole number of at most 64 bits, other than 0 and 1, has its own error. For any other number, the error says
// that the type is wrong (observed in pydantic 2.13).
const INT64 = 2 ** 63

export const boolean: Schema<boolean> = {
  label: 'bool',
  holds: (input) => typeof input === 'boolean',
  read(input, reader) {
    if (typeof input === 'boolean') return input
    reader.bend(LAX)
    if (input === 0) return false
    if (input === 1) return true
    const word = typeof input === 'string' ? WORDS.get(input.toLowerCase()) : undefined
    if (word !== undefined) return word
    if (typeof input === 'string' || (Number.isInteger(input) && Math.abs(input as number) < INT64))
      return reader.refuse(
        'bool_parsing',
        'Input should be a valid boolean, unable to interpret input',
        input,
      )
    return reader.refuse('bool_type', 'Input should be a valid boolean', input)
  },
  describe: () => ({ type: 'boolean' }),
}
