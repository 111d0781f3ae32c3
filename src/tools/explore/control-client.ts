import type { BodyOf, Call } from '../../emulator/control/client/call.js'
import type { exploreOperations } from './control-rows.js'
import type { ExploreStep } from './control-schemas.js'

export type ExploreRow = (typeof exploreOperations)[number]

/** How much `explore.start` tries. */
export type ExploreWanted = BodyOf<'POST /explore', ExploreRow>
/** What `explore.next` accepts: how your code ended. */
export type TrialEnded = BodyOf<'POST /explore/next', ExploreRow>

/** The methods of a client for explorations. */
export type ExploreMethods = ReturnType<typeof exploreMethods>

/** Returns the methods of a client for explorations. A new row needs a method here. */
export function exploreMethods(call: Call<ExploreRow>) {
  return {
    explore: {
      /**
       * Starts to explore what your code survives. Run your code in the world of the trial, and call `next`.
       *
       * @example
       * let { trial, report } = await client.explore.start({ runs: 100 })
       */
      start: (wanted: ExploreWanted = {}): Promise<ExploreStep> =>
        call('POST /explore', { body: wanted }),
      /** Says how your code ended. Returns the next trial, or the report. Refused with 409 without a trial. */
      next: (end: TrialEnded): Promise<ExploreStep> => call('POST /explore/next', { body: end }),
    },
  }
}
