/** A time that lies after `above` and at `most`, both in milliseconds: between two polls. */
export interface Span {
  readonly above: number
  readonly most: number
}

const UNITS = [1000, 100, 10, 1]

/** Rounds the end of a span down, by at most a twentieth, so that the same poll sees what happened then. */
export function roundedIn({ above, most }: Span): number {
  const least = Math.max(above, 0.95 * most - 1)
  const times = UNITS.map((unit) => Math.floor(most / unit) * unit)
  return times.find((time) => time > least) ?? most
}

/** Rounds a time to the largest unit that stays between two others, and within a twentieth. */
export function roundedBetween(time: number, least: number, most: number): number {
  const times = UNITS.flatMap((unit) => {
    return [Math.round(time / unit) * unit, Math.floor(time / unit) * unit]
  })
  const isFine = (each: number): boolean => {
    return each >= least && each <= most && Math.abs(each - time) <= 0.05 * time
  }
  return times.find(isFine) ?? time
}

/** Formats milliseconds as scenarios do: `250ms`, `1500ms`, `10s`, `5m`. */
export function formatDuration(ms: number): string {
  const exact = Math.round(ms * 1e6) / 1e6
  if (exact === 0) return '0s'
  if (exact % 3_600_000 === 0) return `${exact / 3_600_000}h`
  if (exact % 60_000 === 0 && exact > 120_000) return `${exact / 60_000}m`
  if (exact % 1000 === 0) return `${exact / 1000}s`
  if (exact > 10_000 && exact % 100 === 0) return `${exact / 1000}s`
  return `${exact}ms`
}
