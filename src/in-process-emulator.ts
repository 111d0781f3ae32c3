import { createFetch } from './adapters/fetch.js'
import { builtInScenario, DEFAULT_SCENARIO } from './built-in-scenarios.js'
import { checkScenario } from './check-scenario.js'
import { EmulatorCore, type CoreOptions } from './emulator.js'
import { FaultControl } from './fault-control.js'
import type { Scenario, ScenarioInput } from './engine/scenario.js'
import type { ClockMode } from './world/clock.js'

export interface InProcessOptions {
  /** A built-in scenario's name, or a scenario of your own. Default: `happy-path`. */
  scenario?: string | ScenarioInput
  /** All ids, metrics and words are drawn from it. Default: the scenario's, or 1. */
  seed?: number
  /** How time passes. Default: the scenario's, or `auto`. */
  clock?: ClockMode
  /** Seconds of the scenario per second of real time, under the `real` clock. */
  speed?: number
  /** The only keys that are accepted, beside those that the scenario lists. */
  apiKeys?: readonly string[]
  /** A path that stands before `/v1`, such as `/api/training`. */
  basePath?: string
  /**
   * `api-key` gives each key a world of its own, so that tests which run side by side can share one
   * emulator. The 1,000 worlds used last are kept. Default: one world for all.
   */
  isolate?: 'api-key'
}

/** The emulator wherever JavaScript runs, browsers included: everything but ports and files. */
export class InProcessEmulator extends EmulatorCore {
  /** The emulator as a fetch function, for clients that take one: no port, no interception. */
  readonly fetch: typeof globalThis.fetch = createFetch(this.handle, (url) => this.hostOf(url))
  /** What goes wrong, changed while things go on. */
  readonly faults = new FaultControl(() => this.engine)

  constructor(options: InProcessOptions & Pick<CoreOptions, 'openTrainingData' | 'part'>) {
    const { part, scenario = DEFAULT_SCENARIO, isolate } = options
    const chosen = part?.scenario ?? chosenScenario(scenario)
    // The world of one key can do what the whole can: in Node, open ports of its own.
    const Class = new.target
    const createWorld: CoreOptions['createWorld'] = (itsPart) =>
      new Class({ ...options, part: itsPart })
    super({
      scenario: chosen,
      seed: part?.seed ?? options.seed,
      clock: {
        mode: options.clock ?? chosen.clock?.mode ?? 'auto',
        speed: options.speed ?? chosen.clock?.speed,
      },
      apiKeys: options.apiKeys,
      basePath: options.basePath,
      openTrainingData: options.openTrainingData,
      createWorld: isolate && !part ? createWorld : undefined,
      part,
    })
  }

  /**
   * The world of one API key, with a clock, records, scenario, faults and journal of its own. Raises
   * `NotIsolatedError` where all keys share one.
   */
  override world(key: string): this {
    return super.world(key) as this
  }

  /**
   * A fresh world, of another scenario where one is named or given: nothing that was created is
   * there, nothing that was to come will come. Raises `ScenarioError`.
   */
  override reset(scenario?: string | ScenarioInput): void {
    super.reset(scenario === undefined ? undefined : chosenScenario(scenario))
  }

  /** Cancels everything that is to come. */
  close(): Promise<void> {
    this.stop()
    return Promise.resolve()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function chosenScenario(scenario: string | ScenarioInput): Scenario {
  return typeof scenario === 'string' ? builtInScenario(scenario) : checkScenario(scenario)
}
