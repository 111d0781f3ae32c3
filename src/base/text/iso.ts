/**
 * Formats milliseconds since the epoch as `2026-01-01T00:00:00.000Z`.
 *
 * A `Date` takes seven times as long, and a page of events has a hundred moments, many of the same minute.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIso(moment: number): string {
  const whole = Math.trunc(moment)
  const now = Math.floor(whole / MINUTE)
  if (now !== minute || whole > LATEST) {
    minuteText = new Date(whole).toISOString().slice(0, -'00.000Z'.length)
    minute = now
  }
  const rest = String(100_000 + whole - now * MINUTE)
  return `${minuteText}${rest.slice(1, 3)}.${rest.slice(3)}Z`
}

const MINUTE = 60_000
/** A `Date` cannot represent a later moment. */
const LATEST = 8.64e15

/** The minute of the last moment, and its text to the second colon. */
let minute = Number.NaN
let minuteText = ''

/**
 * Formats the first whole millisecond at or after a moment. A real clock has fractions of milliseconds: at the
 * formatted time, a task of that moment is due.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIsoAfter(moment: number): string {
  return toIso(Math.ceil(moment))
}
