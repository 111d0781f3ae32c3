import { typeOf, type Schema } from './shape.js'

/** The decimals of a score that is no whole number. */
const DECIMALS = 2

/** The scores of a field. */
export interface Range {
  /** The score with the share 0, and that with the share 1. A rule may go beyond them. */
  from: number
  to: number
  /** The bounds of the schema, if it has them. Nothing goes beyond them. */
  least?: number | undefined
  most?: number | undefined
}

export interface Score {
  value: number
  /** 0 for the worst score, 1 for the best. */
  share: number
  /** The rule that matched, from 1, and what it says. */
  rule?: { readonly number: number; readonly says: number }
}

/**
 * The range of a score: that of the schema, that of the prompt, or a usual one.
 *
 * @param scale The lowest and the highest score that the prompt asks for.
 */
export function rangeOf(field: Schema, scale: readonly [number, number] | undefined): Range {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, enum: allowed } = field
  const isWhole = typeOf(field) === 'integer'
  const gap = isWhole ? 1 : 10 ** -DECIMALS
  const lowest = [minimum, offset(exclusiveMinimum, gap)].filter(isNumber)
  const highest = [maximum, offset(exclusiveMaximum, -gap)].filter(isNumber)
  const least = lowest.length > 0 ? Math.max(...lowest) : undefined
  const most = highest.length > 0 ? Math.min(...highest) : undefined
  const values = (Array.isArray(allowed) ? allowed.filter(isNumber) : []).filter((each) => {
    return each >= (least ?? -Infinity) && each <= (most ?? Infinity)
  })
  if (values.length > 0) return { from: Math.min(...values), to: Math.max(...values), least, most }
  const usual = scale ?? (isWhole ? [1, 10] : [0, 1])
  const from = least ?? Math.min(usual[0], most === undefined ? Infinity : most - 1)
  const to = most ?? Math.max(usual[1], least === undefined ? -Infinity : least + 1)
  return { from, to, least, most }
}

/**
 * The score at a place of the range.
 *
 * @param unit At least 0, and less than 1.
 */
export function scoreAt(unit: number, range: Range, field: Schema): Score {
  const { from, to } = range
  const isWhole = typeOf(field) === 'integer'
  const wanted = isWhole
    ? Math.floor(from + unit * (to - from + 1))
    : Number((from + unit * (to - from)).toFixed(DECIMALS))
  return fitted(wanted, range, field)
}

/** Changes a score as little as possible so that the bounds, the steps and the values of the schema allow it. */
export function fitted(wanted: number, range: Range, field: Schema): Score {
  const { from, to, least = -Infinity, most = Infinity } = range
  const inRange = Math.min(Math.max(Number.isFinite(wanted) ? wanted : from, least), most)
  const value = allowedValue(inRange, field, (each) => each >= least && each <= most)
  const share = to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 1
  return { value, share }
}

function allowedValue(
  wanted: number,
  field: Schema,
  isInRange: (value: number) => boolean,
): number {
  const { enum: allowed, multipleOf } = field
  let value = wanted
  if (typeof multipleOf === 'number' && multipleOf > 0) {
    const count = Math.round(wanted / multipleOf)
    const near = [count, count - 1, count + 1].map((times) => {
      // 3 times 0.1 is not 0.3.
      return Number((times * multipleOf).toPrecision(PRECISION))
    })
    value = near.find(isInRange) ?? near[0]!
  } else if (typeOf(field) === 'integer') {
    const whole = [Math.round(wanted), Math.floor(wanted), Math.ceil(wanted)]
    value = whole.find(isInRange) ?? whole[0]!
  }
  if (!Array.isArray(allowed)) return value
  const inRange = allowed.filter((each) => isNumber(each) && isInRange(each))
  return nearest(value, inRange.length > 0 ? inRange : allowed)
}

/** The digits of a multiple. A number has at most 17, and the last ones may be wrong. */
const PRECISION = 12

function nearest(wanted: number, allowed: readonly unknown[]): number {
  const numbers = allowed.filter(isNumber)
  return numbers.toSorted((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted))[0] ?? wanted
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number'
}

function offset(value: unknown, gap: number): number | undefined {
  return isNumber(value) ? value + gap : undefined
}

const EXPLANATIONS = [
  'It misses the goal.',
  'It reaches a small part of the goal.',
  'It reaches about half of the goal.',
  'It reaches most of the goal.',
  'It reaches the goal.',
]

/** Says in words how good a score is. */
export function explain({ share }: Score): string {
  return EXPLANATIONS[Math.min(EXPLANATIONS.length - 1, Math.floor(share * EXPLANATIONS.length))]!
}
