/** The part of the clock's time that the timeline shows. */
export interface Axis {
  from: number
  to: number
  now: number
}

export const ZOOMS = ['happened', 'whole', 'minute', 'now'] as const
export type ZoomName = (typeof ZOOMS)[number]

/** What the axis has to show, in milliseconds since the epoch. */
export interface Extent {
  /** The times of the entries, in their order. */
  past: readonly number[]
  now: number
  /** When the next task is due, and the last one. */
  next: number | undefined
  end: number | undefined
}

/** How much of the axis the future may take, beside the past. */
const FUTURE = 0.35
const SHORTEST = 5000
const MINUTE = 60_000

/** More of the axis than this must not be empty, if `happened` is chosen. */
const MOST_EMPTY = 0.5

export function axisOf(zoom: ZoomName, { past, now, next, end }: Extent): Axis {
  if (zoom === 'minute') return { from: now - MINUTE, to: now + MINUTE / 12, now }
  if (zoom === 'now') {
    const reach = Math.max(10_000, 1.2 * ((next ?? now) - now))
    return { from: now - reach, to: now + reach, now }
  }
  const [first, last] = [past[0] ?? now, past.at(-1) ?? now]
  if (zoom === 'happened' && isMostlyEmpty([...past, now])) {
    const busy = busiest(past)
    return withMargin(busy[0]!, Math.max(busy.at(-1)!, busy[0]! + SHORTEST), now)
  }
  const room = Math.max(SHORTEST, FUTURE * (Math.max(now, last) - first))
  const future = end === undefined ? 0 : Math.min(Math.max(0, end - now), room)
  return withMargin(first, Math.max(last, now) + future, now)
}

function withMargin(first: number, last: number, now: number): Axis {
  const margin = Math.max(1, 0.02 * (last - first))
  return { from: first - margin, to: last + margin, now }
}

/** The longest time between two of these moments, and which one begins it. */
function longestGap(moments: readonly number[]): { at: number; lasts: number } {
  const gaps = moments.slice(1).map((moment, at) => ({ at, lasts: moment - moments[at]! }))
  return gaps.reduce((most, each) => (each.lasts > most.lasts ? each : most), { at: 0, lasts: 0 })
}

function isMostlyEmpty(moments: readonly number[]): boolean {
  const whole = moments.at(-1)! - moments[0]!
  return whole > SHORTEST && longestGap(moments).lasts > MOST_EMPTY * whole
}

/** The part of the moments with the most of them that is not mostly empty. Of two alike, the later one. */
function busiest(moments: readonly number[]): readonly number[] {
  if (!isMostlyEmpty(moments)) return moments
  const { at } = longestGap(moments)
  const [before, after] = [moments.slice(0, at + 1), moments.slice(at + 1)]
  return busiest(before.length > after.length ? before : after)
}

/** Where a moment is, from 0 to 100. A moment beyond an end is at the end. */
export function percentAt({ from, to }: Axis, at: number): number {
  return Math.min(100, Math.max(0, (100 * (at - from)) / (to - from)))
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000]
const LONG_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1440].map((each) => each * MINUTE)
const DAY = 1440 * MINUTE
/** The most ticks: each has a label of the width of a time. */
const MOST_TICKS = 4

/** Round moments on the axis. */
export function ticksOf({ from, to }: Axis): { at: number; label: string }[] {
  const least = (to - from) / MOST_TICKS
  const step =
    [...STEPS, ...LONG_STEPS].find((each) => each >= least) ?? Math.ceil(least / DAY) * DAY
  const ticks: { at: number; label: string }[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const iso = new Date(at).toISOString()
    const label = step >= DAY ? iso.slice(5, 10) : iso.slice(11, step >= 1000 ? 19 : 23)
    ticks.push({ at, label })
  }
  return ticks
}
