import type { ClockMode } from '../../../base/clock/clock.js'
import type { ClockState, Settled } from '../schemas/clock.js'
import { joined, type BodyOf, type Call } from './call.js'

/** The limits of `settle`. */
export type SettleBounds = BodyOf<'POST /clock/settle'>

/** The methods of a client for the clock. */
export const clockMethods = (call: Call) => ({
  /**
   * Runs everything that is scheduled. Refused with 409 if tasks keep coming.
   *
   * @example
   * await client.settle({ within: '30s' })
   */
  settle: (bounds: SettleBounds = {}): Promise<Settled> =>
    call('POST /clock/settle', { body: bounds }),
  /**
   * Changes how time passes from now on. `speed` is seconds of the scenario per second of real time.
   *
   * @example
   * await client.useClock('real', { speed: 60 })
   */
  useClock: async (mode: ClockMode, options: { speed?: number } = {}): Promise<ClockState> =>
    call('POST /clock', { body: joined('useClock', { mode }, options) }),
  clock: {
    /** Returns the mode, the speed, the time and the next scheduled task. */
    state: (): Promise<ClockState> => call('GET /clock'),
    /** Moves virtual time by a duration: `10m`, or milliseconds. */
    advance: (by: string | number): Promise<ClockState> =>
      call('POST /clock/advance', { body: { by } }),
    /** Moves virtual time to a moment: a date, a text in ISO 8601, or milliseconds since the epoch. */
    advanceTo: (moment: Date | string | number): Promise<ClockState> =>
      call('POST /clock/advance', { body: { to: isoOf(moment) } }),
    /** Moves virtual time to the next scheduled task and runs it. Returns whether there was one. */
    next: async (): Promise<boolean> => (await call('POST /clock/next')).happened,
  },
})

/** The emulator says what is wrong with a moment that is none. */
function isoOf(moment: Date | string | number): string {
  const date = new Date(moment)
  const isText = typeof moment === 'string' || Number.isNaN(date.getTime())
  return isText ? String(moment) : date.toISOString()
}
