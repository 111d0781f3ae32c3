import { trimSpace } from './python-text.js'
import { LAX } from './reader.js'
import type { Schema } from './schema.js'

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i
const UNBOUNDED = /^([+-]?)(?:inf|infinity)$/i
const NOT_A_NUMBER = /^[+-]?nan$/i

/** Parses a number from a text. Single underscores may separate digits. */
function parse(input: string): number | undefined {
  const trimmed = trimSpace(input)
  if (/^_|__|_$/.test(trimmed)) return undefined
  const text = trimmed.replaceAll('_', '')
  if (NUMBER.test(text)) return Number(text)
  const unbounded = UNBOUNDED.exec(text)
  if (unbounded) return unbounded[1] === '-' ? -Infinity : Infinity
  return NOT_A_NUMBER.test(text) ? NaN : undefined
}

export const number: Schema<number> = {
  label: 'float',
  holds: (input) => typeof input === 'number',
  read(input, reader) {
    if (typeof input === 'number') return input
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
