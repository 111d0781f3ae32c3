import { Checkpoints } from './arrange/checkpoints.js'
import { Jobs } from './arrange/jobs.js'
import { Models } from './arrange/models.js'
import { createFetch } from './adapters/fetch.js'
import { openFromDisk } from './adapters/training-data-files.js'
import { listen, type Listening, type ListenOptions } from './adapters/listen.js'
import { urlsOf } from './adapters/urls.js'
import { builtInScenario, DEFAULT_SCENARIO } from './built-in-scenarios.js'
import { checkScenario } from './check-scenario.js'
import { EmulatorCore } from './emulator.js'
import { FaultControl } from './fault-control.js'
import type { Scenario, ScenarioInput } from './engine/scenario.js'
import { ConductError, misconductIn, type ConductChecks } from './verification/conduct.js'
import type { JobHandle, WhichJob } from './verification/job-handle.js'
import { PendingError, pendingIn } from './verification/pending.js'
import { Requests } from './verification/requests.js'
import { traceOf } from './verification/trace.js'
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
  /** Models, jobs and checkpoints, arranged without a request; what is not named is invented. */
  readonly models = new Models(() => this.engine)
  readonly jobs = new Jobs(this, this.models)
  readonly checkpoints = new Checkpoints(() => this.engine, this.models)
  /** What it was asked. */
  readonly requests = new Requests(this)
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

  /**
   * A job as it is now, and from now on: by id, or the latest, of a model where one is named. Raises
   * `NoSuchJobError`.
   */
  job(which?: WhichJob): JobHandle {
    return this.jobs.get(which)
  }

  /** Raises `PendingError` where something is left over: jobs, faults, deliveries, requests. */
  assertNothingPending(): void {
    const pending = pendingIn(this)
    if (pending.length > 0) throw new PendingError(pending, this)
  }

  /** Raises `ConductError` where a client did what the real service would make it pay for. */
  assertSoundConduct(checks?: ConductChecks): void {
    const findings = misconductIn(this, checks)
    if (findings.length > 0) throw new ConductError(findings, this)
  }

  /** What happened so far, each thing below what caused it, and the seed: for a failing test. */
  trace(): string {
    return traceOf(this)
  }

  /** Serves both hosts on real ports, free ones by default; until then on none. Raises `ListenError`. */
  async listen(options: ListenOptions = {}): Promise<Listening> {
    if (this.#listening) throw new AlreadyListeningError(this.#listening)
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
