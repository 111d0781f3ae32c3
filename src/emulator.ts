import { isControlPath } from './contract/control-path.js'
import { apiErrors } from './contract/errors.js'
import type { ApiRequest, Host, Outcome } from './contract/exchange.js'
import { ControlRoom } from './control-room.js'
import { Engine } from './engine/engine.js'
import { Journal } from './engine/journal.js'
import type { Scenario, WebhookPartsInput } from './engine/scenario.js'
import { Unavailable, type OpenTrainingData } from './engine/training-data.js'
import { encode } from './operations/encode.js'
import { keyOf } from './operations/authenticate.js'
import type { ControlAccess } from './operations/control/controlled.js'
import { createControlHandler } from './operations/control/handle.js'
import { createHandler } from './operations/handle.js'
import { withKeys } from './engine/with-keys.js'
import type { SavedWorld } from './engine/persistence/restore.js'
import { WorldKeeper, type WorldStorage } from './world-keeper.js'
import type { ResolvedTarget, WebhookTarget } from './webhooks/targets.js'
import { Webhooks, type WebhooksOptions } from './webhooks/webhooks.js'
import { settle, type SettleOptions, type SettleReport } from './settle.js'
import { Outgoing } from './webhooks/outgoing.js'
import { Receivers, type AttachedSink } from './webhooks/receivers.js'
import type { Send } from './webhooks/send.js'
import type { Clock, ClockMode, ClockOptions } from './world/clock.js'
import { MOST_WORLDS, NotIsolatedError, Worlds } from './worlds.js'

export interface CoreOptions {
  scenario: Scenario
  /** The scenario's own, or 1, where it is left out. */
  seed?: number | undefined
  clock: ClockOptions
  /** Keys that are accepted beside those of the scenario; with any, only listed keys are. */
  apiKeys?: readonly string[] | undefined
  /** Such as `/api/training`; a slash at its end is dropped. */
  basePath?: string | undefined
  /** What was kept of a world, to go on with; its seed is the one that was given, or none was. */
  saved?: SavedWorld | undefined
  /** Where the world is written down as it changes. */
  storage?: WorldStorage | undefined
  /** Opens files and web addresses named by SFT jobs; without it, only artifacts are accepted. */
  openTrainingData?: OpenTrainingData | undefined
  /**
   * Where the scenario's webhooks without a URL send to; where it has none of the kind, each is told
   * of every event of jobs and artifacts.
   */
  webhooks?: readonly WebhookTarget[] | undefined
  /** How deliveries leave. Default: the fetch that is there at that moment. */
  outgoing?: Outgoing | undefined
  /** Checks what is added to the webhooks in code; without it, it must be complete. */
  checkWebhooks?: WebhooksOptions['check'] | undefined
  /** Makes the world of one API key, where each has its own; without it all keys share one. */
  createWorld?: ((part: WorldPart) => EmulatorCore) | undefined
  /** What it shares with the emulator that it is a part of. */
  part?: WorldPart | undefined
}

/** What the world of one API key has of the emulator that it is a part of. */
export interface WorldPart {
  readonly key: string
  readonly scenario: Scenario
  readonly seed: number
  readonly outgoing: Outgoing
}

/** The key that is offered to clients where any would do. */
export const LOCAL_API_KEY = 'svtrain-local-key'

const IN_PROCESS_ORIGINS = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
} as const

type Handle = (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>

/**
 * The emulator without a transport: one world, and the function that serves it. The composition
 * root, the only file that knows everyone below it.
 */
export class EmulatorCore {
  readonly handle: Handle
  readonly basePath: string
  readonly seed: number
  /** What was recorded since the start or the last reset. It stays the same object. */
  readonly journal = new Journal(() => this.clock.now())
  /** What leaves: webhooks, automations and their deliveries. */
  readonly webhooks: Webhooks
  /** What this emulator sends to others, in all of its worlds. */
  readonly outgoing: Outgoing
  readonly #options: CoreOptions
  readonly #receivers: Receivers
  readonly #answer: Handle
  readonly #worlds: Worlds<EmulatorCore> | undefined
  readonly #keeper: WorldKeeper | undefined
  /** As it was given, without what stands beside it. */
  #given!: Scenario
  #scenario: Scenario
  #engine: Engine
  #inFlight = 0
  readonly #controlRoom = new ControlRoom(this)
  #origins: Readonly<Record<Host, string>> = IN_PROCESS_ORIGINS

  constructor(options: CoreOptions) {
    this.#options = options
    this.basePath = (options.basePath ?? '').replace(/^\/*(.*?)\/*$/, '$1').replace(/^(?=.)/, '/')
    this.seed = options.saved?.seed ?? options.seed ?? options.scenario.seed ?? 1
    this.outgoing = options.part?.outgoing ?? options.outgoing ?? new Outgoing()
    this.#receivers = new Receivers(options.webhooks, this.seed)
    const { checkWebhooks: check = asGiven } = options
    const send: Send = (request) => this.#receivers.send(request, this.outgoing.send)
    this.webhooks = new Webhooks({ send, check })
    this.#scenario = this.#completed(options.scenario)
    this.#keeper =
      options.storage && new WorldKeeper(options.storage, (error) => this.#notKept(error))
    this.#engine = this.#createEngine(options.saved)
    this.#worlds = this.#createWorlds()
    this.#answer = createHandler({
      engine: () => this.#engine,
      basePath: this.basePath,
      openTrainingData: options.openTrainingData ?? refuseFiles,
    })
    const control = createControlHandler(this.#controlRoom)
    this.handle = (host, request) => {
      if (host === 'training' && isControlPath(request.path)) {
        return this.#kept(control(request), host)
      }
      return this.#worldFor(request).#serve(host, request)
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

  /** A key that is accepted; of the world of one key, that one. */
  get apiKey(): string {
    const { part } = this.#options
    if (part) return part.key
    return Object.keys(this.#scenario.auth.keys ?? {})[0] ?? LOCAL_API_KEY
  }

  /** Where deliveries go that were asked for by a URL alone; the sink's comes last. */
  get webhookTargets(): readonly ResolvedTarget[] {
    return this.#receivers.targets
  }

  /** The webhook sink that belongs to it, where there is one. */
  get sink(): AttachedSink | undefined {
    return this.#receivers.sink
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

  /**
   * The world of one API key, with a clock, records, scenario, faults and journal of its own. Raises
   * `NotIsolatedError` where all keys share one.
   */
  world(key: string): EmulatorCore {
    if (!this.#worlds) throw new NotIsolatedError()
    return this.#worlds.of(key)
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

  /** Makes an event happen for the automations that watch it; see `webhooks.trigger`. */
  trigger(...event: Parameters<Webhooks['trigger']>): ReturnType<Webhooks['trigger']> {
    return this.webhooks.trigger(...event)
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
    for (const world of this.#parts()) world.servedAt(origins)
  }

  /**
   * Sends to a sink from now on as to a webhook that was asked for by its URL; without a network where
   * it can be sent to `inside` this process.
   */
  attach(sink: AttachedSink, inside?: Send): void {
    this.#receivers.attach(sink, inside)
    this.#follow(this.#given)
    for (const world of this.#parts()) world.attach(sink, inside)
  }

  /** Says who may use the control API; called by whoever opens ports. */
  guardControl(access: ControlAccess): void {
    this.#controlRoom.access = access
  }

  /** Follows another scenario from now on; seed, clock and what is running stay as they are. */
  follow(scenario: Scenario): void {
    this.#follow(scenario)
    for (const world of this.#parts()) world.follow(scenario)
  }

  /**
   * A fresh world, of another scenario where one is given: nothing that was created is there, nothing
   * that was to come will come, and what was held back breaks off. Its clock is as at the start. Where
   * each key has a world, all of them begin anew.
   */
  reset(scenario?: Scenario): void {
    if (scenario) this.#scenario = this.#completed(scenario)
    this.#engine.stop()
    this.journal.clear()
    this.#engine = this.#createEngine()
    for (const world of this.#parts()) world.reset(scenario)
  }

  /** Cancels everything that is to come, in all worlds. */
  stop(): void {
    this.#keeper?.close()
    this.webhooks.stop()
    this.#controlRoom.stop()
    this.#engine.stop()
    for (const world of this.#parts()) world.stop()
  }

  #follow(scenario: Scenario): void {
    this.#scenario = this.#completed(scenario)
    this.#engine.follow(this.#scenario)
    this.webhooks.follow(this.#engine)
  }

  #serve(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const outcome = this.#answer(host, request)
    if (outcome instanceof Promise) this.#count(outcome)
    return this.#kept(outcome, host)
  }

  /** What carries no key that is accepted belongs to no world but our own, which refuses it. */
  #worldFor({ headers }: ApiRequest): EmulatorCore {
    if (!this.#worlds) return this
    const key = keyOf(headers.authorization)
    const { keys } = this.#scenario.auth
    const accepted = key !== undefined && (keys === undefined || Object.hasOwn(keys, key))
    return accepted ? this.#worlds.of(key) : this
  }

  #parts(): Iterable<EmulatorCore> {
    return this.#worlds?.all() ?? []
  }

  #createWorlds(): Worlds<EmulatorCore> | undefined {
    const { createWorld } = this.#options
    if (!createWorld) return undefined
    const create = (key: string): EmulatorCore => {
      const { seed, outgoing } = this
      const world = createWorld({ key, scenario: this.#given, seed, outgoing })
      world.servedAt(this.#origins)
      if (this.sink) world.attach(this.sink, this.#receivers.inside)
      return world
    }
    return new Worlds(create, (world) => {
      world.stop()
      this.journal.note(
        `The world that was used longest ago is closed: there are more than ${MOST_WORLDS} keys.`,
      )
    })
  }

  #count(outcome: Promise<Outcome>): void {
    this.#inFlight++
    void outcome.finally(() => this.#inFlight--)
  }

  /** What a client is told of is written down before; where that fails, it is told of nothing. */
  #kept(outcome: Outcome | Promise<Outcome>, host: Host): Outcome | Promise<Outcome> {
    if (!this.#keeper) return outcome
    if (outcome instanceof Promise) return outcome.then((answer) => this.#kept(answer, host))
    try {
      this.#keeper.save()
      return outcome
    } catch (error) {
      this.#notKept(error)
      return encode(apiErrors.internal(host), host)
    }
  }

  #notKept(error: unknown): void {
    this.journal.note(`The world could not be written down. ${(error as Error).message}`)
  }

  #createEngine(saved?: SavedWorld): Engine {
    const { clock } = this.#options
    const { seed, journal } = this
    const engine = new Engine({ scenario: this.#scenario, seed, clock, journal, saved })
    this.#keeper?.keep(engine)
    this.webhooks.follow(engine)
    return engine
  }

  /** With the keys and webhooks that stand beside those of the scenario. */
  #completed(scenario: Scenario): Scenario {
    this.#given = scenario
    return this.#receivers.completed(withKeys(scenario, this.#options.apiKeys ?? []))
  }
}

function asGiven({ secrets = {}, webhooks = [], automations = [] }: WebhookPartsInput) {
  return { secrets, webhooks, automations } as Pick<Scenario, keyof WebhookPartsInput>
}

const refuseFiles: OpenTrainingData = (url) =>
  Promise.resolve(new Unavailable(`${url} cannot be opened in this environment`))
