import { WholeFloat } from './exact.js'
import { trimSpace } from './python-text.js'
import { LAX, STRICT } from './reader.js'
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

export const string: Schema<string> = {
  label: 'str',
  holds: (input) => typeof input === 'string',
  read(input, reader) {
    if (typeof input === 'string') return input
    return reader.refuse('string_type', 'Input should be a valid string', input)
  },
  describe: () => ({ type: 'string' }),
}

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

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const UNBOUNDED = /^([+-]?)(?:inf|infinity)$/i
const NOT_A_NUMBER = /^[+-]?nan$/i

/** Parses a number from a text. Single underscores may separate digits, if there is no space around them. */
function parse(input: string): number | undefined {
  const trimmed = trimSpace(input)
  const isSpaced = trimmed.length < input.length
  if (trimmed.includes('_') && (isSpaced || /^_|__|_$/.test(trimmed))) return undefined
  const text = trimmed.replaceAll('_', '')
  if (NUMBER.test(text)) return Number(text)
  const unbounded = UNBOUNDED.exec(text)
  if (unbounded) return unbounded[1] === '-' ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? NaN : undefined
}

export const number: Schema<number> = {
  label: 'float',
  holds: (input) => Number.isFinite(input),
  read(input, reader) {
    if (typeof input === 'number') {
      // An integer that no float can hold looks like Infinity.
      if (!Number.isFinite(input)) reader.doubtful = true
      if (reader.exact && Number.isInteger(input)) reader.bend(STRICT)
      return input
    }
    if (input instanceof WholeFloat) return input.value
    if (typeof input === 'bigint' && reader.exact && Number.isFinite(Number(input))) {
      reader.bend(STRICT)
      return Number(input)
    }
    reader.bend(LAX)
    if (typeof input === 'boolean') return input ? 1 : 0
    if (typeof input !== 'string')
      return reader.refuse('float_type', 'Input should be a valid number', input)
    return (
      parse(input) ??
      reader.refuse(
        'float_parsing',
        'Input should be a valid number, unable to parse string as a number',
        input,
      )
    )
  },
  describe: () => ({ type: 'number' }),
}
