const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const PARTS = String.raw`(?:\d+(?:\.\d+)?(?:ms|[smhd]))+`
const WHOLE = new RegExp(`^${PARTS}$`)
/** What a duration or 0 matches, for a JSON Schema. */
export const DURATION_PATTERN = `^(?:0|${PARTS})$`
const PART = /(\d+(?:\.\d+)?)(ms|[smhd])/g

/** A hundred years. Sums of such durations stay within the range of a `Date`. */
export const LONGEST_DURATION = 36_500 * UNITS.d!

/** Completes "expected …" in error messages. */
export const DURATION = 'a duration such as 250ms, 10s, 5m or 1h30m'

/** The same, if a number of milliseconds is also allowed. */
export const DURATION_OR_MILLISECONDS = `${DURATION}, or milliseconds`

/** Reads `250ms`, `10s` or `1h30m` as milliseconds. Returns undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!WHOLE.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * UNITS[unit!]!
  return total <= LONGEST_DURATION ? total : undefined
}

/** Whether a value is a duration: a text such as `10s`, or a number of milliseconds from 0. */
export function isDuration(value: unknown): value is string | number {
  if (typeof value === 'string') return parseDuration(value) !== undefined
  return typeof value === 'number' && value >= 0 && value < Infinity
}

/**
 * Returns a duration in milliseconds.
 *
 * @throws {RangeError} When the value is not a duration. Check the input of users with `isDuration` first.
 */
export function milliseconds(duration: string | number): number {
  const read = typeof duration === 'string' ? parseDuration(duration) : duration
  if (isDuration(read)) return read
  throw new RangeError(
    `Failed to read a duration: got ${JSON.stringify(duration)}; expected ${DURATION_OR_MILLISECONDS}.`,
  )
}

/** Formats milliseconds for people, so that options take it: `250ms`, `5.2s`, `3m10s`. */
export function roundDuration(ms: number): string {
  const whole = Math.round(ms)
  if (whole < 1000) return `${whole}ms`
  const short = Number((ms / 1000).toFixed(1))
  if (short < 60) return `${short}s`
  const seconds = Math.round(ms / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part, at) => (part === 0 ? '' : `${part}${'hms'[at]}`)).join('')
}
