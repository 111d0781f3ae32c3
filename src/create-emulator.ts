import { controlAccess } from './adapters/control-access.js'
import { createFetch } from './adapters/fetch.js'
import { openFromDisk } from './adapters/training-data-files.js'
import { listen, type Listening, type ListenOptions } from './adapters/listen.js'
import { urlsOf } from './adapters/urls.js'
import { builtInScenario, DEFAULT_SCENARIO } from './built-in-scenarios.js'
import { checkScenario } from './check-scenario.js'
import { EmulatorCore } from './emulator.js'
import { FaultControl } from './fault-control.js'
import type { Scenario, ScenarioInput } from './engine/scenario.js'
import type { ClockMode } from './world/clock.js'

export interface EmulatorOptions {
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
  /** Where relative paths of SFT data start. Default: the working directory. */
  dataRoot?: string
}

/**
 * An emulator with a world of its own: nothing is shared between two of them. Raises `ScenarioError`
 * where the scenario is unknown or cannot be used.
 */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  return new Emulator(options)
}

export class Emulator extends EmulatorCore {
  /** The emulator as a fetch function, for clients that take one: no port, no interception. */
  readonly fetch: typeof globalThis.fetch = createFetch(this.handle, (url) => this.hostOf(url))
  /** What goes wrong, changed while things go on. */
  readonly faults = new FaultControl(() => this.engine)
  #listening: Listening | undefined

  constructor(options: EmulatorOptions) {
    const { scenario = DEFAULT_SCENARIO, seed, speed, apiKeys, basePath, dataRoot } = options
    const chosen = chosenScenario(scenario)
    super({
      scenario: chosen,
      seed,
      clock: {
        mode: options.clock ?? chosen.clock?.mode ?? 'auto',
        speed: speed ?? chosen.clock?.speed,
      },
      apiKeys,
      basePath,
      openTrainingData: openFromDisk({ dataRoot }),
    })
  }

  /**
   * A fresh world, of another scenario where one is named or given: nothing that was created is
   * there, nothing that was to come will come. Raises `ScenarioError`.
   */
  override reset(scenario?: string | ScenarioInput): void {
    super.reset(scenario === undefined ? undefined : chosenScenario(scenario))
  }

  /** Serves both hosts on real ports, free ones by default; until then on none. Raises `ListenError`. */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    if (this.#listening) throw new AlreadyListeningError(this.#listening)
    const { host = '127.0.0.1', controlToken, allowedHosts } = options
    this.guardControl(controlAccess({ host, controlToken, allowedHosts }))
    this.#listening = await listen(this.handle, options)
    this.servedAt(urlsOf(this.#listening))
    return this.#listening
  }

  /** Stops listening and cancels everything that is to come. */
  async close(): Promise<void> {
    this.stop()
    await this.#listening?.close()
    this.#listening = undefined
    this.servedAt(undefined)
    this.guardControl({})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

function chosenScenario(scenario: string | ScenarioInput): Scenario {
  return typeof scenario === 'string' ? builtInScenario(scenario) : checkScenario(scenario)
}

/** Raised by a second `listen` without a `close` between. Code `SVTRAIN_ALREADY_LISTENING`. */
export class AlreadyListeningError extends Error {
  override readonly name = 'AlreadyListeningError'
  readonly code = 'SVTRAIN_ALREADY_LISTENING'
  constructor({ port, inferencePort }: Listening) {
    super(
      `Failed to listen: this emulator already listens on ports ${port} and ${inferencePort}. Close it first, or create another.`,
    )
  }
}
