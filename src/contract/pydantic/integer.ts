import { trimSpace } from './python-text.js'
import { type Invalid, LAX, type Reader } from './reader.js'
import type { Schema } from './schema.js'

export interface Bounds {
  ge?: number
  le?: number
}

const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/
// The framework accepts double underscores between leading zeros, and a sign after them: `0-5` is -5 (observed in
// pydantic 2.13 for all short texts of such characters).
const PADDED = /^(?:\+?0[0_]*-?_?|-0[0_]*)(?:0|[1-9]\d*(?:_\d+)*)(?:\.0+)?$/
// Python does not convert longer texts into integers.
const MOST_DIGITS = 4300

function parse(input: string, reader: Reader): number | Invalid {
  const text = trimSpace(input)
  if (text.length > MOST_DIGITS)
    return reader.refuse(
      'int_parsing_size',
      'Unable to parse input string as an integer, exceeded maximum size',
      input,
    )
  if (!INTEGER.test(text) && !PADDED.test(text))
    return reader.refuse(
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
      input,
    )
  const magnitude = Number(text.replaceAll(/[_+-]/g, ''))
  return text.includes('-') ? 0 - magnitude : magnitude
}

function readInteger(input: unknown, reader: Reader): number | Invalid {
  if (typeof input === 'number') {
    // Adding zero turns -0 into 0, as the framework does.
    if (Number.isInteger(input)) return input + 0
    if (!Number.isFinite(input))
      return reader.refuse('finite_number', 'Input should be a finite number', input)
    return reader.refuse(
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
      input,
    )
  }
  reader.bend(LAX)
  if (typeof input === 'boolean') return input ? 1 : 0
  if (typeof input === 'string') return parse(input, reader)
  return reader.refuse('int_type', 'Input should be a valid integer', input)
}

export const integer: Schema<number> = {
  label: 'int',
  holds: (input) => Number.isInteger(input),
  read: readInteger,
  describe: () => ({ type: 'integer' }),
}

/** An integer within bounds, both included. */
export function boundedInteger({ ge = -Infinity, le = Infinity }: Bounds): Schema<number> {
  return {
    label: 'constrained-int',
    read(input, reader) {
      const value = readInteger(input, reader)
      if (typeof value !== 'number') return value
      if (value > le)
        return reader.refuseWith({
          type: 'less_than_equal',
          msg: `Input should be less than or equal to ${le}`,
          input,
          ctx: { le },
        })
      if (value < ge)
        return reader.refuseWith({
          type: 'greater_than_equal',
          msg: `Input should be greater than or equal to ${ge}`,
          input,
          ctx: { ge },
        })
      return value
    },
    describe: () => ({
      type: 'integer',
      ...(le < Infinity && { maximum: le }),
      ...(ge > -Infinity && { minimum: ge }),
    }),
  }
}
