import { isControlPath } from './contract/control-path.js'
import { asGiven, refuseFiles, type CoreOptions } from './core-options.js'
import type { ApiRequest, Host, Outcome } from './contract/exchange.js'
import { ControlRoom } from './control-room.js'
import { withKeys } from './with-keys.js'
import { Engine } from './engine/engine.js'
import { Journal } from './engine/journal.js'
import type { Scenario } from './engine/scenario.js'
import { keyOf } from './operations/authenticate.js'
import type { ControlAccess } from './operations/control/controlled.js'
import { createControlHandler } from './operations/control/handle.js'
import { createHandler } from './operations/handle.js'
import type { SavedWorld } from './engine/persistence/restore.js'
import { wholeWorld } from './engine/persistence/save.js'
import {
  notOneWorld,
  snapshotOf,
  worldIn,
  type Snapshot,
  type SnapshotOptions,
} from './snapshot.js'
import { WorldKeeper } from './world-keeper.js'
import { resolveTargets, withTargets, type ResolvedTarget } from './webhooks/targets.js'
import { Webhooks } from './webhooks/webhooks.js'
import { settle, type SettleOptions, type SettleReport } from './settle.js'
import { Outgoing } from './webhooks/outgoing.js'
import type { Clock, ClockMode } from './world/clock.js'
import { MOST_WORLDS, NotIsolatedError, Worlds } from './worlds.js'

/** The key that is offered to clients where any would do. */
export const LOCAL_API_KEY = 'svtrain-local-key'

const IN_PROCESS_ORIGINS = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
} as const

type Handle = (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>

/** The emulator without a transport: the composition root, which knows everyone below it. */
export class EmulatorCore {
  readonly handle: Handle
  readonly basePath: string
  #seed: number
  /** What was recorded since the start or the last reset. It stays the same object. */
  readonly journal = new Journal(() => this.clock.now())
  /** What leaves: webhooks, automations and their deliveries. */
  readonly webhooks: Webhooks
  /** Where deliveries go that were asked for by a URL alone. */
  readonly webhookTargets: readonly ResolvedTarget[]
  /** What this emulator sends to others, in all of its worlds. */
  readonly outgoing: Outgoing
  readonly #options: CoreOptions<EmulatorCore>
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

  constructor(options: CoreOptions<EmulatorCore>) {
    this.#options = options
    this.basePath = (options.basePath ?? '').replace(/^\/*(.*?)\/*$/, '$1').replace(/^(?=.)/, '/')
    this.#seed = options.saved?.seed ?? options.seed ?? options.scenario.seed ?? 1
    this.outgoing = options.part?.outgoing ?? options.outgoing ?? new Outgoing()
    this.webhookTargets = resolveTargets(options.webhooks ?? [], this.seed)
    const { checkWebhooks: check = asGiven } = options
    this.webhooks = new Webhooks({ send: this.outgoing.send, check })
    this.#scenario = this.#completed(options.scenario)
    const { webhooks, journal } = this
    this.#keeper =
      options.storage && new WorldKeeper({ storage: options.storage, webhooks, journal })
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

  /** Says who may use the control API; called by whoever opens ports. */
  guardControl(access: ControlAccess): void {
    this.#controlRoom.access = access
  }

  /** Follows another scenario from now on; seed, clock and what is running stay as they are. */
  follow(scenario: Scenario): void {
    this.#scenario = this.#completed(scenario)
    this.#engine.follow(this.#scenario, this.#given)
    this.webhooks.follow(this.#engine)
    for (const world of this.#parts()) world.follow(scenario)
  }

  /**
   * A fresh world, of another scenario where one is given: nothing that was created is there, nothing
   * that was to come will come, and what was held back breaks off. Its clock is as at the start. Where
   * each key has a world, all of them begin anew.
   */
  reset(scenario?: Scenario): void {
    if (scenario) this.#scenario = this.#completed(scenario)
    this.#beginAnew()
    for (const world of this.#parts()) world.reset(scenario)
  }

  /** All that is there, and is to come, as one JSON value. Raises `SnapshotError` where keys have worlds. */
  async snapshot(options?: SnapshotOptions): Promise<Snapshot> {
    this.#assertOneWorld()
    await this.#engine.ready
    return snapshotOf(wholeWorld(this.#engine, this.webhooks.kept), options)
  }

  /** Goes on with what a snapshot says, in the place of what was there. Raises `SnapshotError`. */
  restore(snapshot: unknown): void {
    this.#assertOneWorld()
    const { saved, scenario, seed } = worldIn(snapshot)
    this.#seed = seed
    this.#scenario = this.#completed(scenario)
    this.#beginAnew(saved)
  }

  #beginAnew(saved?: SavedWorld): void {
    this.#engine.stop()
    this.journal.clear()
    this.#engine = this.#createEngine(saved)
  }

  #assertOneWorld(): void {
    if (this.#worlds) throw notOneWorld()
  }

  /** Cancels everything that is to come, in all worlds. */
  stop(): void {
    this.#keeper?.close()
    this.webhooks.stop()
    this.#controlRoom.stop()
    this.#engine.stop()
    for (const world of this.#parts()) world.stop()
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

  /** What a client is told of is written down before. */
  #kept(outcome: Outcome | Promise<Outcome>, host: Host): Outcome | Promise<Outcome> {
    return this.#keeper ? this.#keeper.answer(outcome, host) : outcome
  }

  #createEngine(saved?: SavedWorld): Engine {
    const { clock } = this.#options
    const { seed, journal } = this
    const given = this.#given
    const engine = new Engine({ scenario: this.#scenario, given, seed, clock, journal, saved })
    this.#keeper?.keep(engine)
    this.webhooks.follow(engine, saved)
    return engine
  }

  /** With the keys and webhooks that stand beside those of the scenario. */
  #completed(scenario: Scenario): Scenario {
    this.#given = scenario
    return withTargets(withKeys(scenario, this.#options.apiKeys ?? []), this.webhookTargets)
  }
}
