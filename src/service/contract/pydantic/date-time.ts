import { WholeFloat } from './exact.js'
import { type Invalid, LAX, type Reader } from './reader.js'
import type { Schema } from './schema.js'

const DATE = /^(\d{4})-(\d{2})-(\d{2})/
// The minus sign of an offset may be U+2212.
const TIME =
  /^[Tt _]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:[Zz]|[+\-\u2212]([01]\d|2[0-3]):?[0-5]\d)?$/
const WHOLE = /^[+-]?\d+$/
const FRACTION = /^[+-]?(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?$/

// A larger number counts as milliseconds, not seconds.
const WATERSHED = 2e10
// A larger text with a decimal point counts as microseconds (observed in pydantic 2.13).
const SECOND_WATERSHED = 2e13
const YEAR_10000 = 253_402_300_800_000
const YEAR_1 = -62_135_596_800_000
const YEAR_0 = -62_167_219_200_000

// Texts of this length have no more than 15 digits, which a number holds exactly.
const SAFE_LENGTH = 15

const AFTER = 'dates after 9999 are not supported as unix timestamps'
const BEFORE = 'dates before 0000 are not supported as unix timestamps'
const NO_YEAR_0 = 'year 0 is out of range'

/** Says what is wrong with a number of seconds or milliseconds since 1970. Undefined if it is valid. */
function findTimestampProblem(timestamp: number): string | undefined {
  if (Number.isNaN(timestamp)) return 'NaN values not permitted'
  const ms = Math.abs(timestamp) > WATERSHED ? timestamp : timestamp * 1000
  if (ms >= YEAR_10000) return AFTER
  if (ms < YEAR_0) return BEFORE
  return ms < YEAR_1 ? NO_YEAR_0 : undefined
}

/** Says what is wrong with a calendar date. Reads it byte by byte, like the parser of the framework. */
function findDateProblem(text: string): string | undefined {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length < 10) return 'input is too short'
  const isDigit = (at: number) => bytes[at]! >= 0x30 && bytes[at]! <= 0x39
  const isHyphen = (at: number) => bytes[at] === 0x2d
  if (![0, 1, 2, 3].every(isDigit)) return 'invalid character in year'
  if (!isHyphen(4)) return 'invalid date separator, expected `-`'
  if (![5, 6].every(isDigit)) return 'invalid character in month'
  if (!isHyphen(7)) return 'invalid date separator, expected `-`'
  if (![8, 9].every(isDigit)) return 'invalid character in day'

  const month = Number(text.slice(5, 7))
  if (month < 1 || month > 12) return 'month value is outside expected range of 1-12'
  const day = Number(text.slice(8, 10))
  if (day < 1 || day > daysIn(month, Number(text.slice(0, 4))))
    return 'day value is outside expected range'
  return bytes.length > 10 ? 'unexpected extra characters at the end of the input' : undefined
}

function daysIn(month: number, year: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
}

function isCalendarTime(text: string): boolean {
  return (
    DATE.test(text) &&
    findDateProblem(text.slice(0, 10)) === undefined &&
    (text.length === 10 || TIME.test(text.slice(10)))
  )
}

function refuseDateTime(reader: Reader, input: unknown, error: string): Invalid {
  const msg = `Input should be a valid datetime, ${error}`
  return reader.refuseWith({ type: 'datetime_parsing', msg, input, ctx: { error } })
}

/**
 * Reads digits as the framework does, digit by digit: it wraps around at 64 bits, and notices that only if the result
 * is negative. So 2^64 is 0 (observed in pydantic 2.13). Undefined if the text is not a whole number, or too large.
 */
function wholeOf(input: string): number | undefined {
  if (!WHOLE.test(input)) return undefined
  if (input.length <= SAFE_LENGTH) return Number(input)
  let total = 0n
  for (const digit of input.replace(/^[+-]/, '')) {
    total = BigInt.asIntN(64, total * 10n + BigInt(digit))
    if (total < 0n) return undefined
  }
  return input.startsWith('-') ? -Number(total) : Number(total)
}

function readText(input: string, reader: Reader): string | Invalid {
  if (isCalendarTime(input))
    return input.startsWith('0000') ? refuseDateTime(reader, input, NO_YEAR_0) : input

  const digits = wholeOf(input)
  const whole = digits !== undefined
  const timestamp = digits ?? Number(input)
  const numeric = whole || FRACTION.test(input)
  const isMicro = !whole && Math.abs(timestamp) > SECOND_WATERSHED
  const problem = numeric ? findTimestampProblem(isMicro ? timestamp / 1000 : timestamp) : undefined
  if (numeric && problem === undefined) return input
  if (problem === NO_YEAR_0) return refuseDateTime(reader, input, problem)

  // A text that is not a date and time is parsed as a date. The error is the error for a date.
  const error = (whole ? problem : findDateProblem(input)) ?? 'input is too short'
  return reader.refuseWith({
    type: 'datetime_from_date_parsing',
    msg: `Input should be a valid datetime or date, ${error}`,
    input,
    ctx: { error },
  })
}

/** The value as a float. Undefined if it is no number, or an integer that no float can hold. */
function timestampOf(input: unknown): number | undefined {
  if (typeof input === 'number') return input
  if (input instanceof WholeFloat) return input.value
  if (typeof input !== 'bigint') return undefined
  const value = Number(input)
  return Number.isFinite(value) ? value : undefined
}

/** A date and time, as text or as a number since 1970. It is checked and not changed. */
export const dateTime: Schema<string | number> = {
  label: 'datetime',
  read(input, reader) {
    reader.bend(LAX)
    if (typeof input === 'string') return readText(input, reader)
    const timestamp = timestampOf(input)
    if (timestamp === undefined)
      return reader.refuse('datetime_type', 'Input should be a valid datetime', input)
    const error = findTimestampProblem(timestamp)
    return error === undefined ? timestamp : refuseDateTime(reader, input, error)
  },
  describe: () => ({ type: 'string', format: 'date-time' }),
}
