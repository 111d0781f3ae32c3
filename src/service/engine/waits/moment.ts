import type { Clock } from '../../../base/clock/clock.js'
import { visibleNow, wallNow } from '../../../base/clock/wall.js'

/** Milliseconds on the three clocks on which a client can wait: that of the world, real time, and `Date`, which test runners fake. */
export interface Moment {
  readonly world: number
  readonly wall: number
  readonly date: number
}

export function momentOf(clock: Clock): Moment {
  return { world: clock.now(), wall: wallNow(), date: visibleNow() }
}

/** How many milliseconds `Date` may differ from real time although nobody fakes it. */
const JITTER = 5

/**
 * Milliseconds that passed on the clock that went furthest: the client may have waited on it.
 *
 * @param pace How much faster than real time the pauses of clients pass.
 */
export function timeBetween(since: Moment, now: Moment, pace = 1): number {
  const real = now.wall - since.wall
  const visible = now.date - since.date
  const faked = Math.abs(visible - real) > JITTER ? visible : 0
  return Math.max(real * pace, now.world - since.world, faked)
}
