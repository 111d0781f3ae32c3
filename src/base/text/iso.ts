/**
 * Formats milliseconds since the epoch as `2026-01-01T00:00:00.000Z`.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIso(moment: number): string {
  return new Date(moment).toISOString()
}

/**
 * Formats the first whole millisecond at or after a moment. A real clock has fractions of milliseconds: at the
 * formatted time, a task of that moment is due.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIsoAfter(moment: number): string {
  return toIso(Math.ceil(moment))
}
