/** A time that lies after `above` and at `most`, both in milliseconds. */
export interface Span {
  above: number
  most: number
}

/** Whether a span holds any time. Times are whole milliseconds, except where only an average is known. */
export function isEmpty({ above, most }: Span): boolean {
  return most - above < 1e-6
}

export function intersection(one: Span, other: Span): Span {
  return { above: Math.max(one.above, other.above), most: Math.min(one.most, other.most) }
}

export function shifted({ above, most }: Span, by: number): Span {
  return { above: above + by, most: most + by }
}

const UNITS = [10_000, 1000, 100, 10, 1]

/**
 * Returns the latest multiple of the largest possible unit in a span, and 0 only if no other time is in it. A client
 * sees an event at the first poll after it. The end of a span is too late: it includes how long the poll took.
 */
export function timeIn({ above, most }: Span): number {
  for (const unit of UNITS) {
    const time = Math.floor(most / unit) * unit
    if (time > above && time > 0) return time
  }
  return above < 0 ? 0 : most
}

/** Returns the multiple of the largest possible unit that is closest to the middle of a span, and inside of it. */
export function middleOf({ above, most }: Span): number {
  const middle = (above + most) / 2
  for (const unit of UNITS) {
    const time = Math.round(middle / unit) * unit
    if (time > above && time < most && time >= 0) return time
  }
  return clean(Math.max(0, middle))
}

function clean(ms: number): number {
  return Math.round(ms * 1e6) / 1e6
}

/** Formats milliseconds as scenarios do: `250ms`, `1500ms`, `10s`, `5m`. */
export function formatDuration(ms: number): string {
  const exact = clean(ms)
  if (exact === 0) return '0s'
  if (exact % 3_600_000 === 0) return `${exact / 3_600_000}h`
  if (exact % 60_000 === 0 && exact > 120_000) return `${exact / 60_000}m`
  if (exact % 1000 === 0) return `${exact / 1000}s`
  if (exact > 10_000 && exact % 100 === 0) return `${exact / 1000}s`
  return `${exact}ms`
}

/** Rounds a number to two significant digits. */
export function significant(value: number): number {
  return Number(value.toPrecision(2))
}
