import { aFlag, Options } from '../../../base/text/options.js'
import type { WhichScenario } from '../../emulator-options.js'
import type { CurrentScenario, NamedScenario } from '../schemas/scenario.js'
import type { Info } from '../schemas/info.js'
import { joined, type Call } from './call.js'

/** The options of `scenarios.use`. */
export interface UseOptions {
  /** Whether to start over with the scenario. Default: false, so that existing records stay. */
  reset?: boolean
}

export const useOptions = new Options<UseOptions>('scenarios.use', { reset: aFlag })

/** The methods of a client for scenarios. */
export const scenarioMethods = (call: Call) => ({
  /**
   * Starts over with the scenario and the seed that the emulator was created with.
   *
   * @param scenario Applies to this reset only.
   * @param options `seed` applies to this reset only, too.
   * @example
   * await client.reset()
   */
  reset: async (scenario?: WhichScenario, options: { seed?: number } = {}): Promise<Info> =>
    call('POST /reset', { body: joined('reset', options, { scenario }) }),
  scenarios: {
    /** Returns the built-in scenarios. */
    list: async (): Promise<NamedScenario[]> => (await call('GET /scenarios')).scenarios,
    /** Returns the current scenario. */
    current: (): Promise<CurrentScenario> => call('GET /scenario'),
    /**
     * Changes the scenario until the next reset.
     *
     * @example
     * await client.scenarios.use('failing-job', { reset: true })
     */
    async use(scenario: WhichScenario, options: UseOptions = {}): Promise<NamedScenario> {
      useOptions.check(options)
      return (await call('POST /scenario', { body: { ...options, scenario } })).scenario
    },
  },
})
