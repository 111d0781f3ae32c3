const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/
const PART = /(\d+(?:\.\d+)?)(ms|[smhd])/g

/** A hundred years: sums of such stay well within what a date can tell. */
const LONGEST = 36_500 * UNITS.d!

/** `250ms`, `2s`, `1h30m` → milliseconds; undefined where the text is no duration, or above 100 years. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!WHOLE.test(text)) return undefined
  let total = 0
  for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * UNITS[unit!]!
  return total <= LONGEST ? total : undefined
}

/** The milliseconds of a duration or of a number of them; undefined where it is neither. */
export function readDuration(duration: string | number): number | undefined {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration)
  return ms !== undefined && ms >= 0 && ms < Infinity ? ms : undefined
}

// A scenario says the same few durations to each of its jobs.
const read = new Map<string, number>()

/** The milliseconds of a duration that was checked with its scenario. */
export function milliseconds(duration: string): number {
  let known = read.get(duration)
  if (known === undefined) read.set(duration, (known = parseDuration(duration) ?? 0))
  return known
}
