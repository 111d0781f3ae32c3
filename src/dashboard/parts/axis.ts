/** The part of the clock's time that the timeline shows. */
export interface Axis {
  from: number
  to: number
  now: number
}

export const ZOOMS = ['whole', 'minute', 'now'] as const
export type ZoomName = (typeof ZOOMS)[number]

/** What the axis has to show, in milliseconds since the epoch. */
export interface Extent {
  first: number
  last: number
  now: number
  /** When the next task is due, and the last one. */
  next: number | undefined
  end: number | undefined
}

/** How much of the axis the future may take, beside the past. */
const FUTURE = 0.35
const SHORTEST = 5000
const MINUTE = 60_000

export function axisOf(zoom: ZoomName, { first, last, now, next, end }: Extent): Axis {
  if (zoom === 'minute') return { from: now - MINUTE, to: now + MINUTE / 12, now }
  if (zoom === 'now') {
    const reach = Math.max(10_000, 1.2 * ((next ?? now) - now))
    return { from: now - reach, to: now + reach, now }
  }
  const past = Math.max(now, last) - first
  const room = Math.max(SHORTEST, FUTURE * past)
  const future = end === undefined ? 0 : Math.min(Math.max(0, end - now), room)
  const to = Math.max(last, now) + future
  const margin = Math.max(1, 0.02 * (to - first))
  return { from: first - margin, to: to + margin, now }
}

/** Where a moment is, from 0 to 100. A moment beyond an end is at the end. */
export function placeOf({ from, to }: Axis, at: number): number {
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
