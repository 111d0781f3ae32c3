import { isControlPath } from './contract/control-path.js'
import type { ApiRequest, Host, Outcome } from './contract/exchange.js'
import { ControlRoom } from './control-room.js'
import { LOCAL_ACCOUNT } from './engine/account.js'
import { Engine } from './engine/engine.js'
import { Journal } from './engine/journal.js'
import type { Scenario } from './engine/scenario.js'
import { Unavailable, type OpenTrainingData } from './engine/training-data.js'
import type { ControlAccess } from './operations/control/controlled.js'
import { createControlHandler } from './operations/control/handle.js'
import { createHandler } from './operations/handle.js'
import { settle, type SettleOptions, type SettleReport } from './settle.js'
import type { Clock, ClockMode, ClockOptions } from './world/clock.js'

export interface CoreOptions {
  scenario: Scenario
  /** The scenario's own, or 1, where it is left out. */
  seed?: number | undefined
  clock: ClockOptions
  /** Keys that are accepted beside those of the scenario; with any, only listed keys are. */
  apiKeys?: readonly string[] | undefined
  /** Such as `/api/training`; a slash at its end is dropped. */
  basePath?: string | undefined
  /** Opens files and web addresses named by SFT jobs; without it, only artifacts are accepted. */
  openTrainingData?: OpenTrainingData
}

/** The key that is offered to clients where any would do. */
export const LOCAL_API_KEY = 'svtrain-local-key'

const IN_PROCESS_ORIGINS = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
} as const

/**
 * The emulator without a transport: one world, and the function that serves it. The composition
 * root, the only file that knows everyone below it.
 */
export class EmulatorCore {
  readonly handle: (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>
  readonly basePath: string
  readonly seed: number
  /** What was recorded since the start or the last reset. It stays the same object. */
  readonly journal = new Journal(() => this.clock.now())
  readonly #options: CoreOptions
  #scenario: Scenario
  #engine: Engine
  #inFlight = 0
  readonly #controlRoom = new ControlRoom(this)
  #origins: Readonly<Record<Host, string>> = IN_PROCESS_ORIGINS

  constructor(options: CoreOptions) {
    this.#options = options
    this.basePath = (options.basePath ?? '').replace(/^\/*(.*?)\/*$/, '$1').replace(/^(?=.)/, '/')
    this.seed = options.seed ?? options.scenario.seed ?? 1
    this.#scenario = withKeys(options.scenario, options.apiKeys ?? [])
    this.#engine = this.#createEngine()
    const handle = createHandler({
      engine: () => this.#engine,
      basePath: this.basePath,
      openTrainingData: options.openTrainingData ?? refuseFiles,
    })
    const control = createControlHandler(this.#controlRoom)
    this.handle = (host, request) => {
      if (host === 'training' && isControlPath(request.path)) return control(request)
      const outcome = handle(host, request)
      if (outcome instanceof Promise) this.#count(outcome)
      return outcome
    }
  }

  /** What a client library takes as the base URL of the training API; ends in `/v1`. */
  get trainingUrl(): string {
    return `${this.#origins.training}${this.basePath}/v1`
  }

  /** What a client library takes as the base URL of the inference API; ends in `/v1`. */
  get inferenceUrl(): string {
    return `${this.#origins.inference}${this.basePath}/v1`
  }

  /** A key that is accepted. */
  get apiKey(): string {
    return Object.keys(this.#scenario.auth.keys ?? {})[0] ?? LOCAL_API_KEY
  }

  get scenario(): Scenario {
    return this.#scenario
  }

  get clock(): Clock {
    return this.#engine.clock
  }

  /** The world as it is now; a reset makes another. */
  get engine(): Engine {
    return this.#engine
  }

  /** How many requests are being answered; those that are left hanging are not among them. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** What the control API asks of calls that change something, where it does. */
  get controlToken(): string | undefined {
    return this.#controlRoom.access.token
  }

  /** Lets time pass in another way from now on, at another speed where one is given. */
  useClock(mode: ClockMode, { speed }: { speed?: number } = {}): void {
    this.#engine.useClock(mode, speed)
  }

  /**
   * Lets everything happen that is to come, or goes on until `promise` settles. Raises `SettleError`
   * where the world does not come to rest.
   */
  settle(promise?: Promise<unknown>, options?: SettleOptions): Promise<SettleReport> {
    return settle(this, promise, options)
  }

  /** Which of the two hosts a URL belongs to. */
  hostOf({ origin }: { origin: string }): Host | undefined {
    for (const host of ['training', 'inference'] as const) {
      if (origin === this.#origins[host] || origin === IN_PROCESS_ORIGINS[host]) return host
    }
    return undefined
  }

  /** Called by the transport that opened ports for the two hosts. */
  servedAt(origins: Readonly<Record<Host, string>> | undefined): void {
    this.#origins = origins ?? IN_PROCESS_ORIGINS
  }

  /** Says who may use the control API; called by whoever opens ports. */
  guardControl(access: ControlAccess): void {
    this.#controlRoom.access = access
  }

  /** Follows another scenario from now on; seed, clock and what is running stay as they are. */
  follow(scenario: Scenario): void {
    this.#scenario = withKeys(scenario, this.#options.apiKeys ?? [])
    this.#engine.follow(this.#scenario)
  }

  /**
   * A fresh world, of another scenario where one is given: nothing that was created is there, nothing
   * that was to come will come, and what was held back breaks off. Its clock is as at the start.
   */
  reset(scenario?: Scenario): void {
    if (scenario) this.#scenario = withKeys(scenario, this.#options.apiKeys ?? [])
    this.#engine.stop()
    this.journal.clear()
    this.#engine = this.#createEngine()
  }

  /** Cancels everything that is to come. */
  stop(): void {
    this.#controlRoom.stop()
    this.#engine.stop()
  }

  #count(outcome: Promise<Outcome>): void {
    this.#inFlight++
    void outcome.finally(() => this.#inFlight--)
  }

  #createEngine(): Engine {
    const { clock } = this.#options
    return new Engine({ scenario: this.#scenario, seed: this.seed, clock, journal: this.journal })
  }
}

function withKeys(scenario: Scenario, apiKeys: readonly string[]): Scenario {
  if (apiKeys.length === 0) return scenario
  const added = Object.fromEntries(apiKeys.map((key) => [key, LOCAL_ACCOUNT]))
  return { ...scenario, auth: { ...scenario.auth, keys: { ...added, ...scenario.auth.keys } } }
}

const refuseFiles: OpenTrainingData = (url) =>
  Promise.resolve(new Unavailable(`${url} cannot be opened in this environment`))
