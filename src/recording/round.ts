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

/**
 * The effort to read a duration: 1 for 2s, 250ms or 15s, 2 for 1200ms, 3 for 1234ms. A person who writes a scenario
 * takes the number with the least effort.
 */
export function effortOf(ms: number): number {
  if (ms === 0) return 0
  let digits = Math.round(ms * 1000)
  while (digits % 10 === 0) digits /= 10
  if (digits < 10 || digits === 15 || digits === 25 || digits === 75) return 1
  if (ms % 1000 === 0 && ms <= 120_000) return 1.5
  return String(digits).length
}

/** How far apart the candidates of each search are. The last ones find something in any span. */
const GRIDS = [
  60_000, 30_000, 10_000, 5000, 1000, 500, 250, 100, 50, 25, 10, 5, 1, 0.5, 0.1, 0.01, 0.001,
]
const MOST_OF_A_GRID = 24

/**
 * Returns times in a span, the roundest first. Among equally round ones, the latest first: a client sees an event at
 * the first poll after it.
 */
export function roundTimesIn(span: Span, most = MOST_OF_A_GRID): number[] {
  if (isEmpty(span)) return []
  const found = new Set<number>()
  for (const grid of GRIDS) {
    const last = Math.floor(span.most / grid + 1e-9)
    for (let index = 0; index < MOST_OF_A_GRID; index++) {
      const time = clean((last - index) * grid)
      if (time <= span.above + 1e-9 || time < 0) break
      found.add(time)
    }
    if (found.size >= most) break
  }
  if (found.size === 0) found.add(span.most)
  return [...found].sort((a, b) => effortOf(a) - effortOf(b) || b - a).slice(0, most)
}

/** Returns the roundest time in a span. */
export function roundestIn(span: Span): number {
  return roundTimesIn(span, 1)[0] ?? span.most
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

/** Rounds a number to some significant digits. */
export function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits))
}
