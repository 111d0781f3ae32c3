import { Checkpoints } from './arrange/checkpoints.js'
import { Jobs } from './arrange/jobs.js'
import { Models } from './arrange/models.js'
import { createFetch } from './adapters/fetch.js'
import { openDataFolder, type DataFolder } from './adapters/data-folder.js'
import { poolOfConnections, type PooledSend } from './adapters/pooled-send.js'
import { openFromDisk } from './adapters/training-data-files.js'
import { listen, type Listening, type ListenOptions } from './adapters/listen.js'
import { urlsOf } from './adapters/urls.js'
import { builtInScenario, DEFAULT_SCENARIO } from './built-in-scenarios.js'
import { checkReceiverUrl, checkScenario, checkWebhooks } from './check-scenario.js'
import { EmulatorCore, type CoreOptions } from './emulator.js'
import { FaultControl } from './fault-control.js'
import type { Scenario, ScenarioInput } from './engine/scenario.js'
import { goingOn } from './snapshot.js'
import { sendByFetch, type Send } from './webhooks/send.js'
import type { WebhookTarget } from './webhooks/targets.js'
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
  /**
   * A folder in which all of it survives a restart, and a crash; made where there is none. What was
   * left there goes on, with its seed, and its scenario unless another is given.
   */
  data?: string
  /** Where relative paths of SFT data start. Default: the working directory. */
  dataRoot?: string
  /**
   * Receivers of webhooks, by URL or with the secret that signs: each hears of every event of jobs and
   * artifacts, or of what the scenario's own webhooks say that have no URL.
   */
  webhooks?: readonly (string | WebhookTarget)[]
  /** How deliveries leave. Default: connections of our own, or fetch once MSW's `handlers` are used. */
  send?: Send
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
  readonly #pool: PooledSend
  readonly #ownSend: boolean
  /** Models, jobs and checkpoints, arranged without a request; what is not named is invented. */
  readonly models = new Models(() => this.engine)
  readonly jobs = new Jobs(this, this.models)
  readonly checkpoints = new Checkpoints(() => this.engine, this.models)
  /** What it was asked. */
  readonly requests = new Requests(this)
  #listening: Listening | undefined

  constructor(options: EmulatorOptions) {
    const { clock, data, speed, apiKeys, basePath, dataRoot } = options
    const storage = data === undefined ? undefined : openDataFolder(data)
    const { scenario, seed, saved } = beginningOf(options, storage)
    const pool = poolOfConnections()
    super({
      scenario,
      seed,
      saved,
      storage,
      clock: {
        mode: clock ?? scenario.clock?.mode ?? 'auto',
        speed: speed ?? scenario.clock?.speed,
      },
      apiKeys,
      basePath,
      openTrainingData: openFromDisk({ dataRoot }),
      webhooks: checkTargets(options.webhooks ?? []),
      send: options.send ?? pool.send,
      checkWebhooks,
    })
    this.#pool = pool
    this.#ownSend = options.send !== undefined
  }

  /**
   * A fresh world, of another scenario where one is named or given: nothing that was created is
   * there, nothing that was to come will come. Raises `ScenarioError`.
   */
  override reset(scenario?: string | ScenarioInput): void {
    super.reset(scenario === undefined ? undefined : chosenScenario(scenario))
  }

  /** Called where requests are intercepted: deliveries leave through fetch, unless you send them. */
  sendInterceptably(): void {
    if (!this.#ownSend) this.webhooks.sendThrough(sendByFetch)
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
    await Promise.all([this.#listening?.close(), this.#pool.close()])
    this.#listening = undefined
    this.servedAt(undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** What there is to begin, or to go on, with. Raises `ScenarioError` or `SnapshotError`. */
function beginningOf(
  { scenario, seed }: EmulatorOptions,
  folder: DataFolder | undefined,
): Pick<CoreOptions, 'scenario' | 'seed' | 'saved'> {
  try {
    const asked = scenario === undefined ? undefined : chosenScenario(scenario)
    const saved = folder?.saved
    if (saved) return { saved, ...goingOn(saved, { scenario: asked, seed }) }
    return { scenario: asked ?? chosenScenario(DEFAULT_SCENARIO), seed }
  } catch (error) {
    folder?.close()
    throw error
  }
}

/** Raises `ScenarioError` where one is no address that can be sent to. */
function checkTargets(targets: readonly (string | WebhookTarget)[]): WebhookTarget[] {
  return targets.map((target) => {
    const { url, secret }: WebhookTarget = typeof target === 'string' ? { url: target } : target
    return { url: checkReceiverUrl(url), secret }
  })
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
