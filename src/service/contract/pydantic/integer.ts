import { WholeFloat } from './exact.js'
import { trimSpace } from './python-text.js'
import { INVALID, type Invalid, LAX, type Reader } from './reader.js'
import type { Schema } from './schema.js'

export interface Bounds {
  ge?: number | bigint
  le?: number | bigint
}

const INTEGER = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/
// The framework accepts double underscores between leading zeros, and a sign after them: `0-5` is -5 (observed in
// pydantic 2.13 for all short texts of such characters).
const PADDED = /^(?:\+?0[0_]*-?_?|-0[0_]*)(?:0|[1-9]\d*(?:_\d+)*)(?:\.0+)?$/
// The framework reads no more characters as an integer. A minus counts, a plus and leading zeros do not.
const MOST_CHARACTERS = 4300
// A text that begins like this is too large. Any other text that is too long is no integer (observed in pydantic 2.13).
const TOO_LARGE = new RegExp(`^(?=-?[1-9])[-\\d]\\d{${MOST_CHARACTERS}}`)
// A float of this size or more is too large (observed in pydantic 2.13).
const INT64 = 2 ** 63

function parse(input: string, reader: Reader): number | bigint | Invalid {
  if (input.length > MOST_CHARACTERS && TOO_LARGE.test(input)) return refuseSize(input, reader)
  const digits = digitsOf(trimSpace(input))
  if (digits !== undefined) return integerOf(digits, reader)
  return reader.refuse(
    'int_parsing',
    'Input should be a valid integer, unable to parse string as an integer',
    input,
  )
}

/** The digits of an integer, after a minus if it is negative. Undefined if the text is no integer. */
function digitsOf(text: string): string | undefined {
  if (!INTEGER.test(text) && !PADDED.test(text)) return undefined
  const sign = text.includes('-') ? '-' : ''
  const digits = text
    .replace(/\.0+$/, '')
    .replaceAll(/[_+-]/g, '')
    .replace(/^0+(?=\d)/, '')
  const whole = sign + digits
  return whole.length > MOST_CHARACTERS ? undefined : whole
}

/** A text of digits as a number, or as a bigint if an exact reading needs one. */
function integerOf(digits: string, reader: Reader): number | bigint {
  const value = Number(digits)
  if (Number.isSafeInteger(value)) return value + 0
  if (reader.exact) return BigInt(digits)
  reader.doubtful = true
  return value
}

function refuseSize(input: unknown, reader: Reader): Invalid {
  return reader.refuse(
    'int_parsing_size',
    'Unable to parse input string as an integer, exceeded maximum size',
    input,
  )
}

function readInteger(input: unknown, reader: Reader): number | bigint | Invalid {
  if (typeof input === 'number') {
    // Adding zero turns -0 into 0, as the framework does.
    if (Number.isSafeInteger(input)) return input + 0
    if (Number.isInteger(input)) {
      reader.doubtful = true
      return input
    }
    if (!Number.isFinite(input))
      return reader.refuse('finite_number', 'Input should be a finite number', input)
    return reader.refuse(
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
      input,
    )
  }
  if (typeof input === 'bigint' && reader.exact) return input
  reader.bend(LAX)
  if (input instanceof WholeFloat)
    return Math.abs(input.value) < INT64
      ? integerOf(BigInt(input.value).toString(), reader)
      : refuseSize(input, reader)
  if (typeof input === 'boolean') return input ? 1 : 0
  if (typeof input === 'string') return parse(input, reader)
  return reader.refuse('int_type', 'Input should be a valid integer', input)
}

/** An integer of any size. The result of an exact reading is a bigint if no number can hold it. */
export const anyInteger: Schema<number | bigint> = {
  label: 'int',
  holds: (input) => Number.isSafeInteger(input),
  read: readInteger,
  describe: () => ({ type: 'integer' }),
}

/** An integer that is only needed as a number. The results of exact readings are made plain: see `validate`. */
export const integer = anyInteger as Schema<number>

/** An integer within bounds, both included. */
export function boundedInteger({ ge = -Infinity, le = Infinity }: Bounds): Schema<number> {
  return {
    label: 'constrained-int',
    read(input, reader) {
      const value = readInteger(input, reader)
      if (value === INVALID) return value
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
      return value as number
    },
    describe: () => ({
      type: 'integer',
      ...(le < Infinity && { maximum: Number(le) }),
      ...(ge > -Infinity && { minimum: Number(ge) }),
    }),
  }
}
