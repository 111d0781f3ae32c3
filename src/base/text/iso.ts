/**
 * Formats milliseconds since the epoch as `2026-01-01T00:00:00.000Z`.
 *
 * A `Date` takes seven times as long, and a page of events has a hundred moments, most of the same day.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIso(moment: number): string {
  const whole = Math.trunc(moment)
  const today = Math.floor(whole / DAY)
  if (today !== day || whole > LATEST) {
    dayText = new Date(whole).toISOString().slice(0, -'00:00:00.000Z'.length)
    day = today
  }
  const ms = whole - today * DAY
  const seconds = Math.floor(ms / 1000)
  const time = `${twoDigits[Math.floor(seconds / 3600)]}:${twoDigits[Math.floor(seconds / 60) % 60]}`
  const fraction = ms % 1000
  return `${dayText}${time}:${twoDigits[seconds % 60]}.${fraction < 100 ? '0' : ''}${twoDigits[fraction] ?? fraction}Z`
}

const DAY = 86_400_000
/** A `Date` cannot represent a later moment. */
const LATEST = 8.64e15
const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** The day of the last moment, and its text to the `T`. */
let day = Number.NaN
let dayText = ''

/**
 * Formats the first whole millisecond at or after a moment. A real clock has fractions of milliseconds: at the
 * formatted time, a task of that moment is due.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIsoAfter(moment: number): string {
  return toIso(Math.ceil(moment))
}
