import type { Clock } from '../../base/clock/clock.js'
import { visibleNow, wallNow } from '../../base/clock/wall.js'

/** Milliseconds on the three clocks on which a client can wait: that of the world, real time, and `Date`, which test runners fake. */
export interface Moment {
  readonly world: number
  readonly wall: number
  readonly date: number
}

export function momentOf(clock: Clock): Moment {
  return { world: clock.now(), wall: wallNow(), date: visibleNow() }
}

/**
 * Milliseconds that passed on the clock that went furthest: the client may have waited on it.
 *
 * @param pace How much faster than real time the pauses of clients pass.
 */
export function timeBetween(since: Moment, now: Moment, pace = 1): number {
  return Math.max((now.wall - since.wall) * pace, now.world - since.world, now.date - since.date)
}
