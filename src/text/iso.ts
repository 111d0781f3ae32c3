/**
 * Formats milliseconds since the epoch as `2026-01-01T00:00:00.000Z`.
 *
 * @throws {RangeError} When a `Date` cannot represent the moment.
 */
export function toIso(moment: number): string {
  return new Date(moment).toISOString()
}
