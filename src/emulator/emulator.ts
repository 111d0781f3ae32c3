import { Addresses } from './addresses.js'
import { isControlPath } from '../control/control-path.js'
import type { ApiRequest, Host, Outcome } from '../contract/exchange.js'
import { ControlRoom } from '../control/control-room.js'
import {
  asGiven,
  LOCAL_API_KEY,
  refuseFiles,
  type CoreOptions,
  type Initial,
} from './core-options.js'
import { Engine } from '../engine/engine.js'
import { Journal } from '../engine/journal.js'
import type { Scenario } from '../scenario/scenario.js'
import { acceptedKey } from '../api/authenticate.js'
import type { ControlAccess, Controlled } from '../control/controlled.js'
import { createControlHandler } from '../control/handle.js'
import { createHandler } from '../api/handle.js'
import { withKeys } from '../scenario/with-keys.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import { wholeWorld } from '../engine/snapshot/save.js'
import {
  notOneWorld,
  snapshotOf,
  snapshotOptions,
  SnapshotError,
  withFunctionsOf,
  type Snapshot,
  type SnapshotOptions,
} from './snapshot.js'
import { WorldKeeper } from './world-keeper.js'
import { Webhooks } from '../webhooks/webhooks.js'
import { settle, type SettleOptions, type SettleReport } from '../testing/settle.js'
import { Transport } from '../webhooks/transport.js'
import { Receivers, type AttachedSink } from '../webhooks/receivers.js'
import type { Send } from '../webhooks/transport.js'
import {
  clockChange,
  clockMode,
  type Clock,
  type ClockChange,
  type ClockMode,
} from '../clock/clock.js'
import { checkArgument } from '../text/options.js'
import { NotIsolatedError, WORLD_CLOSED, Worlds } from './worlds.js'

/** The emulator without a transport: the composition root, which knows everyone below it. */
export class EmulatorCore {
  readonly handle: (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>
  readonly basePath: string
  #seed: number
  /** Whether each API key has a world of its own; of such a world, too. */
  readonly isolate: 'api-key' | undefined
  /** What was recorded since the start or the last reset. It stays the same object. */
  readonly journal = new Journal(() => this.clock.now())
  /** What leaves: webhooks, automations and their deliveries. */
  readonly webhooks: Webhooks
  /** What this emulator sends to others, in all of its worlds. */
  readonly outgoing: Transport
  readonly #options: CoreOptions<EmulatorCore>
  readonly #receivers: Receivers
  readonly #answer: EmulatorCore['handle']
  readonly #worlds: Worlds<EmulatorCore> | undefined
  readonly #keeper: WorldKeeper | undefined
  #initial: Initial
  /** As it was given, without what stands beside it. */
  #given!: Scenario
  #scenario: Scenario
  #engine: Engine
  #inFlight = 0
  #closed = false
  readonly #controlRoom = new ControlRoom(this)
  readonly #addresses: Addresses

  constructor(options: CoreOptions<EmulatorCore>) {
    this.#options = options
    this.basePath = (options.basePath ?? '').replace(/^\/*(.*?)\/*$/, '$1').replace(/^(?=.)/, '/')
    this.#addresses = new Addresses(this.basePath)
    this.#seed = options.saved?.seed ?? options.seed ?? options.scenario.seed ?? 1
    this.#initial = options.part?.initial ?? { scenario: options.scenario, seed: this.#seed }
    this.outgoing = options.part?.outgoing ?? options.outgoing ?? new Transport()
    this.#receivers = new Receivers(options.webhooks, this.seed)
    const { checkWebhooks: check = asGiven } = options
    const send = this.outgoing.sendTo(this.#receivers)
    this.webhooks = new Webhooks({ send, check })
    this.#scenario = this.#completed(options.scenario)
    const { webhooks, journal } = this
    this.#keeper =
      options.storage && new WorldKeeper({ storage: options.storage, webhooks, journal })
    this.#engine = this.#createEngine(options.saved)
    this.#keeper?.keep(this.#engine)
    this.webhooks.follow(this.#engine, options.saved)
    this.#worlds = this.#createWorlds()
    this.isolate = options.createWorld || options.part ? 'api-key' : undefined
    this.#answer = createHandler({
      engine: () => this.#engine,
      basePath: this.basePath,
      openTrainingData: options.openTrainingData ?? refuseFiles,
    })
    const control = createControlHandler(this.#controlRoom)
    this.handle = (host, request) => {
      const isControl = host === 'training' && isControlPath(request.path)
      if (!isControl) return this.#worldFor(request).#serve(host, request)
      const outcome = control(request)
      return this.#keeper?.answer(outcome, host) ?? outcome
    }
  }

  /** What a client library takes as the base URL of the training API; ends in `/v1`. */
  get trainingUrl(): string {
    return this.#addresses.baseUrl('training')
  }

  /** What a client library takes as the base URL of the inference API; ends in `/v1`. */
  get inferenceUrl(): string {
    return this.#addresses.baseUrl('inference')
  }

  /** A key that is accepted; of the world of one key, that one. */
  get apiKey(): string {
    const [first = LOCAL_API_KEY] = Object.keys(this.#scenario.auth.keys ?? {})
    return this.#options.part?.key ?? first
  }

  /** Where deliveries go that were asked for by a URL alone; the sink's comes last. */
  get webhookTargets(): Receivers['all'] {
    return this.#receivers.all
  }

  /** The webhook sink that belongs to it, where there is one. */
  get sink(): AttachedSink | undefined {
    return this.#receivers.sink
  }

  /** What all ids, metrics and words are drawn from. */
  get seed(): number {
    return this.#seed
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

  /** Whether it was closed, and does not listen again. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * The world of one API key, with a clock, records, scenario, faults and journal of its own. Raises
   * `NotIsolatedError` where all keys share one.
   */
  world(key: string): EmulatorCore {
    if (!this.#worlds) throw new NotIsolatedError()
    return this.#worlds.of(key)
  }

  /** Those of all keys that were used, where each has its own. */
  get worlds(): Iterable<EmulatorCore> {
    return this.#worlds?.all() ?? []
  }

  /** The world of one API key, as the control API sees it. Raises `NotIsolatedError`. */
  worldOf(key: string): Controlled {
    return this.world(key).#controlRoom.beside(this.#controlRoom)
  }

  /** What the control API asks of calls that change something, where it does. */
  get controlToken(): string | undefined {
    return this.#controlRoom.access.token
  }

  /**
   * Lets time pass in another way from now on, at another speed where one is given. Throws
   * `OptionsError`.
   */
  useClock(mode: ClockMode, options: ClockChange = {}): void {
    checkArgument('useClock', { name: 'mode', value: mode, kind: clockMode })
    clockChange.check(options, 'useClock')
    this.#engine.useClock(mode, options.speed)
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
  hostOf(url: { origin: string }): Host | undefined {
    return this.#addresses.hostOf(url)
  }

  /** Called by the transport that opened ports for the two hosts. */
  servedAt(origins: Readonly<Record<Host, string>> | undefined): void {
    if (origins) this.#closed = false
    this.#addresses.move(origins)
    for (const world of this.worlds) world.servedAt(origins)
  }

  /**
   * Sends to a sink from now on as to a webhook that was asked for by its URL; without a network where
   * it can be sent to `inside` this process.
   */
  attach(sink: AttachedSink, inside?: Send): void {
    this.#receivers.attach(sink, inside)
    this.#follow(this.#given)
    for (const world of this.worlds) world.attach(sink, inside)
  }

  /** Says who may use the control API; called by whoever opens ports. */
  guardControl(access: ControlAccess): void {
    this.#controlRoom.access = access
  }

  /**
   * Follows another scenario until the next reset; seed, clock and what is running stay as they are.
   */
  follow(scenario: Scenario): void {
    this.#follow(scenario)
    for (const world of this.worlds) world.follow(scenario)
  }

  /**
   * Follows a new version of the scenario that the emulator was created with: a later reset returns to
   * this version.
   */
  revise(scenario: Scenario): void {
    this.#initial = { ...this.#initial, scenario }
    this.#follow(scenario)
    for (const world of this.worlds) world.revise(scenario)
  }

  /**
   * Starts over with a fresh world: its records, its journal and everything scheduled are gone, and
   * delayed responses break off. Scenario, seed and clock are those that the emulator was created with.
   * Where each key has a world, all of them are reset.
   *
   * @param scenario - Applies to this reset only; the next one returns to the scenario of the creation.
   */
  reset(scenario?: Scenario): void {
    this.#seed = this.#initial.seed
    this.#scenario = this.#completed(scenario ?? this.#initial.scenario)
    this.#beginAnew()
    for (const world of this.worlds) world.reset(scenario)
  }

  /** All that is there, and is to come, as one JSON value. Raises `SnapshotError` where keys have worlds. */
  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    snapshotOptions.check(options)
    if (this.#worlds) throw notOneWorld()
    await this.#engine.ready
    return snapshotOf(wholeWorld(this.#engine, this.webhooks.kept), options)
  }

  /**
   * Goes on with a world that was kept, in the place of what was there.
   *
   * @param saved What was read and checked.
   * @throws {SnapshotError} Where it cannot; then nothing is changed.
   */
  goOnWith(saved: SavedWorld): void {
    if (this.#worlds) throw notOneWorld()
    const { scenario, seed } = withFunctionsOf(this.#given, saved)
    const before = { given: this.#given, scenario: this.#scenario, seed: this.#seed }
    this.#seed = seed
    this.#scenario = this.#completed(scenario)
    try {
      this.#beginAnew(saved)
    } catch (error) {
      this.#given = before.given
      this.#scenario = before.scenario
      this.#seed = before.seed
      throw new SnapshotError(
        'SVTRAIN_SNAPSHOT_INVALID',
        `Failed to go on with the snapshot: ${(error as Error).message}. Nothing was changed.`,
      )
    }
  }

  /** The world before ends once the next one is there. */
  #beginAnew(saved?: SavedWorld): void {
    const before = this.#engine
    const engine = this.#createEngine(saved)
    try {
      this.webhooks.follow(engine, saved)
    } catch (error) {
      engine.end()
      throw error
    }
    before.end()
    this.journal.clear()
    this.#engine = engine
    this.#keeper?.keep(engine)
  }

  /** Cancels everything that is to come, in all worlds. */
  stop(): void {
    this.#closed = true
    this.#keeper?.close()
    this.webhooks.stop()
    this.#controlRoom.stop()
    this.#engine.stop()
    for (const world of this.worlds) world.stop()
  }

  #follow(scenario: Scenario): void {
    this.#scenario = this.#completed(scenario)
    this.#engine.applyScenario(this.#scenario, this.#given)
    this.webhooks.follow(this.#engine)
  }

  #serve(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const outcome = this.#answer(host, request)
    if (outcome instanceof Promise) {
      this.#inFlight++
      void outcome.finally(() => this.#inFlight--)
    }
    return this.#keeper?.answer(outcome, host) ?? outcome
  }

  /** What carries no key that is accepted belongs to no world but our own, which refuses it. */
  #worldFor({ headers }: ApiRequest): EmulatorCore {
    const key = this.#worlds && acceptedKey(headers.authorization, this.#scenario.auth)
    return key === undefined ? this : this.#worlds!.of(key)
  }

  #createWorlds(): Worlds<EmulatorCore> | undefined {
    const { createWorld } = this.#options
    if (!createWorld) return undefined
    const create = (key: string): EmulatorCore => {
      const { seed, outgoing } = this
      const initial = this.#initial
      const world = createWorld({ key, scenario: this.#given, seed, initial, outgoing })
      world.servedAt(this.#addresses.origins)
      if (this.sink) world.attach(this.sink, this.#receivers.inside)
      return world
    }
    return new Worlds(create, (world) => {
      world.stop()
      this.journal.note(WORLD_CLOSED)
    })
  }

  #createEngine(saved?: SavedWorld): Engine {
    const { seed, journal } = this
    const scenarios = { scenario: this.#scenario, savedScenario: this.#given }
    return new Engine({ ...scenarios, seed, clock: this.#options.clock, journal, saved })
  }

  /** With the keys and webhooks that stand beside those of the scenario. */
  #completed(scenario: Scenario): Scenario {
    this.#given = scenario
    return this.#receivers.completed(withKeys(scenario, this.#options.apiKeys ?? []))
  }
}
