import { WholeFloat } from './exact.js'
import { trimSpace } from './python-text.js'
import { LAX, STRICT } from './reader.js'
import type { Schema } from './schema.js'

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
