import { WholeFloat } from './exact.js'
import { LAX } from './reader.js'
import type { Schema } from './schema.js'

const WORDS = new Map([
  ...['1', 'on', 't', 'true', 'y', 'yes'].map((word) => [word, true] as const),
  ...['0', 'off', 'f', 'false', 'n', 'no'].map((word) => [word, false] as const),
])

// A whole number of at most 64 bits, other than 0 and 1, has its own error. For any other number, the error says
// that the type is wrong (observed in pydantic 2.13).
const INT64 = 2 ** 63

/** Whether it is a whole number of at most 64 bits. A float may not be the smallest one. */
function isInt64(input: unknown): boolean {
  if (input instanceof WholeFloat) return Math.abs(input.value) < INT64
  if (typeof input === 'bigint') return BigInt.asIntN(64, input) === input
  return Number.isInteger(input) && Math.abs(input as number) < INT64
}

export const boolean: Schema<boolean> = {
  label: 'bool',
  holds: (input) => typeof input === 'boolean',
  read(input, reader) {
    if (typeof input === 'boolean') return input
    reader.bend(LAX)
    const figure = input instanceof WholeFloat ? input.value : input
    if (figure === 0) return false
    if (figure === 1) return true
    const word = typeof input === 'string' ? WORDS.get(input.toLowerCase()) : undefined
    if (word !== undefined) return word
    if (typeof input === 'string' || isInt64(input))
      return reader.refuse(
        'bool_parsing',
        'Input should be a valid boolean, unable to interpret input',
        input,
      )
    return reader.refuse('bool_type', 'Input should be a valid boolean', input)
  },
  describe: () => ({ type: 'boolean' }),
}
