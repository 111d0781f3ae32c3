import {
  clockChange,
  clockMode,
  type Clock,
  type ClockChange,
  type ClockMode,
} from '../base/clock/clock.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import { aSeed, checkArgument, nonEmptyText, Options } from '../base/text/options.js'
import { showAs } from '../base/text/show-as.js'
import { refuseRemoved } from '../base/text/removed-error.js'
import { removedFromEmulator } from '../base/text/removed.js'
import { acceptedKey } from '../service/api/authenticate.js'
import { STORAGE_PATH } from '../service/api/platform/paths.js'
import type { ReceiveContent } from '../service/contract/content.js'
import type { ApiRequest, Host, Outcome } from '../service/contract/exchange.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../service/contract/versions.js'
import type { Engine } from '../service/engine/engine.js'
import { Journal } from '../service/engine/journal.js'
import { contentsOf } from '../service/engine/saved/contents.js'
import type { EventType, Scenario } from '../service/scenario/scenario.js'
import type { Delivery } from '../webhooks/sending/delivery.js'
import { Receivers, type AttachedSink } from '../webhooks/sending/receivers.js'
import type { HandOver } from '../webhooks/sending/receiver-calls.js'
import type { Transport } from '../webhooks/sending/transport.js'
import type { TriggerFacts } from '../webhooks/sending/trigger.js'
import { Webhooks } from '../webhooks/sending/webhooks.js'
import { Answering } from './answering.js'
import { Artifacts } from './artifacts.js'
import { Checkpoints } from './checkpoints.js'
import type { ChecksSource } from './checks.js'
import { Closing } from './closing.js'
import { databaseOf, type Database } from './db.js'
import type { WhichScenario } from './emulator-options.js'
import type { EmulatorParts, McpEndpoint, Reporter, WorldOfKey } from './emulator-parts.js'
import { FaultControl } from './faults.js'
import { IN_PROCESS, type Origins } from './in-process.js'
import { Jobs } from './jobs.js'
import { lineageOf, lineageOptions, type LineageOptions, type LineageReport } from './lineage.js'
import { LOCAL_API_KEY } from './local-key.js'
import { Models } from './models.js'
import { PlayedWorld } from './played-world.js'
import type { Har } from './har.js'
import { harOptions, reportOptions, type HarOptions, type ReportOptions } from './report-options.js'
import { Runs } from './runs.js'
import { snapshotOf, snapshotOptions, type Snapshot, type SnapshotOptions } from './snapshot.js'
import { notOneWorld } from './snapshot-error.js'
import { ClientCheckError, failedClientChecks, type ClientChecks } from './testing/client-checks.js'
import type { JobHandle, WhichJob } from './testing/job-handle.js'
import { PendingError, pendingIn } from './testing/pending.js'
import { Requests } from './testing/requests.js'
import { settle, type SettleOptions } from './testing/settle.js'
import type { SettleReport } from './testing/settle-report.js'
import { tracesOf } from './testing/trace.js'
import { WorldsByKey } from './worlds-by-key.js'

/** Who may use the control API. */
export interface ControlAccess {
  /** The control token. If it is set, calls that change something must send it. */
  token?: string | undefined
  /** Host names that may be used besides those of loopback. `.example.com` stands for all below it. */
  allowedHosts?: readonly string[] | undefined
  /** Whether any IP address may be used: the port is bound beyond loopback. */
  beyondLoopback?: boolean | undefined
}

/** Returns how a sink in this process takes the deliveries of a world. */
type HandOverOf = (world: Emulator) => HandOver

/** The options of `reset`. */
export interface ResetOptions {
  /** The seed of the fresh world. Default: that of the creation. */
  seed?: number | undefined
}

export const resetOptions = new Options<ResetOptions>('reset', { seed: aSeed })

/** The core of an emulator: its world, and what a test can do with it. `compose` adds tools, ports and files. */
export class Emulator {
  /**
   * Answers a request, for a transport of your own. It never throws: a failure inside is a 500.
   *
   * @param host The host that the request was sent to.
   * @example
   * const outcome = await emulator.handle('training', {
   *   method: 'GET',
   *   base: 'http://localhost',
   *   path: '/v1/health',
   *   query: '',
   *   headers: {},
   *   body: new Uint8Array(),
   * })
   */
  readonly handle: (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>
  /**
   * Takes the content of a file that a request uploads, a part at a time. A transport asks before it reads the body, and
   * passes the content to `handle` in its place.
   *
   * @internal
   */
  readonly receive: ReceiveContent
  /** The emulator as a fetch function, for clients that accept one: no port, no interception. */
  readonly fetch: typeof globalThis.fetch
  /** The path before `/v1`; empty if there is none. */
  readonly basePath: string
  /** The contract of the service that is emulated, such as `2026-11`. It stays the same after a reset. */
  readonly contract: ContractVersion
  /** `api-key` if each API key has a world of its own, and in each of these worlds. */
  readonly isolate: 'api-key' | undefined
  /** What has happened since the start or the last reset. It is the same object after a reset. */
  readonly journal = new Journal(() => this.clock.now())
  /** Faults, which you can add and remove at any time. */
  readonly faults = new FaultControl(this)
  /** Creates models without a request. What you don't name is invented. */
  readonly models = new Models(this)
  /** Starts jobs without a request, and moves them on. */
  readonly jobs = new Jobs(this, this.models)
  /** Adds checkpoints without a job. */
  readonly checkpoints = new Checkpoints(this, this.models)
  /** The runs that clients logged metrics to. */
  readonly runs = new Runs(this)
  /** The artifacts of clients and of jobs. You can put artifacts there, such as training data. */
  readonly artifacts = new Artifacts(this)
  /** The requests that clients have made. */
  readonly requests = new Requests(this)
  /** Webhooks, automations and their deliveries. */
  readonly webhooks: Webhooks
  /**
   * Sends requests, in all worlds.
   *
   * @internal
   */
  readonly transport: Transport
  /**
   * Checks scenarios, faults, webhooks and snapshots. Load it before you pass on unchecked input.
   *
   * @internal
   */
  readonly checks: ChecksSource
  /**
   * A summary of the world that the emulator continues, from its data folder or its snapshot.
   *
   * @internal
   */
  readonly continued: string | undefined
  readonly #parts: EmulatorParts<Emulator>
  readonly #ofKey: WorldOfKey<Emulator> | undefined
  readonly #receivers: Receivers
  readonly #closing = new Closing()
  readonly #world: PlayedWorld
  /** They are of the class of this emulator: the same runtime creates them. */
  readonly #worlds: WorldsByKey<Emulator> = new WorldsByKey(this.journal, (key, name) =>
    this.#createWorld(key, name),
  )
  readonly #answering: Answering
  #handOver: HandOverOf | undefined
  #db: Database | undefined
  #origins = IN_PROCESS
  #access: ControlAccess | undefined

  /** @internal */
  constructor(parts: EmulatorParts<Emulator>, ofKey?: WorldOfKey<Emulator>) {
    const { saved, basePath = '', contract = NEWEST_CONTRACT, openTrainingData } = parts
    showAs(this, 'Emulator', () => {
      const { trainingUrl, inferenceUrl, scenario, seed, clock, jobs } = this
      return { trainingUrl, inferenceUrl, scenario: scenario.name, seed, clock, jobs: jobs.all }
    })
    // Nothing keeps the saved world, which takes as much memory as the world itself.
    this.#parts = { ...parts, saved: undefined }
    this.#ofKey = ofKey
    this.isolate = parts.isolate
    this.checks = parts.checks
    this.transport = parts.transport
    this.continued = saved && contentsOf(saved)
    this.basePath = asPrefix(basePath)
    this.contract = contract
    const seed = saved?.seed ?? parts.seed ?? parts.scenario.seed ?? 1
    this.#receivers = new Receivers(parts.webhooks, seed)
    this.webhooks = new Webhooks({
      ways: { send: this.transport.send, inside: this.#receivers.inside },
      check: (input, present) => this.checks.loaded.webhooks(input, present),
    })
    this.#world = new PlayedWorld({
      parts,
      seed,
      initial: ofKey?.initial ?? { scenario: parts.scenario, seed },
      closing: this.#closing,
      journal: this.journal,
      webhooks: this.webhooks,
      receivers: this.#receivers,
      ofKey,
    })
    this.#keepControlToken()
    this.#world.begin(saved)
    this.#answering = new Answering(this.#world, {
      journal: this.journal,
      basePath: this.basePath,
      contract,
      urlOf: (host) => (host === 'training' ? this.trainingUrl : this.inferenceUrl),
      openTrainingData,
    })
    const control = parts.control(this)
    this.handle = (host, request) => {
      return this.#answering.guarded(host, request, () => {
        const controlled = control(request, host)
        if (controlled) return this.#answering.controlled(controlled, host, request)
        return this.#worldFor(request).#answering.answer(host, request)
      })
    }
    this.receive = (host, request) => this.#worldFor(request).#answering.receive(host, request)
    this.fetch = parts.fetch(this)
  }

  /** The base URL of the training API, as a client library expects it. It ends in `/v1`. */
  get trainingUrl(): string {
    return `${this.#origins.training}${this.basePath}/v1`
  }

  /** The base URL of the inference API, as a client library expects it. It ends in `/v1`. */
  get inferenceUrl(): string {
    return `${this.#origins.inference}${this.basePath}/v1`
  }

  /** A key that is accepted. On the world of one key, that key. */
  get apiKey(): string {
    const [first = LOCAL_API_KEY] = Object.keys(this.scenario.auth.keys ?? {})
    return this.#ofKey?.key ?? first
  }

  /** The seed from which all ids, metrics and words are drawn. */
  get seed(): number {
    return this.#world.seed
  }

  /** The current scenario, with the keys and webhooks that were added to it. */
  get scenario(): Scenario {
    return this.#world.scenario
  }

  /** The clock of the world. A reset replaces it. */
  get clock(): Clock {
    return this.engine.clock
  }

  /**
   * The scenario engine. A reset replaces it.
   *
   * @internal
   */
  get engine(): Engine {
    return this.#world.engine
  }

  /**
   * The projects, base models and models of the world, for queries. The records are frozen. A reset
   * or a restore shows the new world. The records that the scenario begins with exist after `ready()`.
   *
   * @example
   * emulator.db.models.findFirst((q) => q.where({ name: 'poet' }))
   */
  get db(): Database {
    this.#db ??= databaseOf(() => this.engine.store)
    return this.#db
  }

  /** The webhook sink that receives the deliveries, if there is one. */
  get sink(): AttachedSink | undefined {
    return this.#receivers.sink
  }

  /**
   * The receivers from the option `webhooks`, with their secrets. The sink comes last.
   *
   * @internal
   */
  get receivers(): Receivers['all'] {
    return this.#receivers.all
  }

  /** How many requests are being answered. Those that hang are not counted. */
  get inFlight(): number {
    return this.#answering.inFlight
  }

  /** Whether the emulator was closed and has not listened again. */
  get closed(): boolean {
    return this.#closing.closed
  }

  /**
   * Aborted when the emulator closes. Streams end then.
   *
   * @internal
   */
  get stopping(): AbortSignal {
    return this.#closing.stopping
  }

  /**
   * Who may use the control API.
   *
   * @internal
   */
  get controlAccess(): ControlAccess {
    return this.#access ?? this.#ofKey?.parent.controlAccess ?? {}
  }

  /** The token that the control API demands for calls that change something, if it demands one. */
  get controlToken(): string | undefined {
    return this.controlAccess.token
  }

  /**
   * Returns the world of one API key. It has its own clock, records, scenario, faults and journal.
   *
   * @throws {NotIsolatedError} When all keys share one world.
   * @throws {OptionsError} When the key is no text.
   * @example
   * const emulator = createEmulator({ isolate: 'api-key' })
   * emulator.world('a-key').faults.add({ fault: 'hang' })
   */
  world(key: string): this {
    checkArgument('world', { name: 'key', value: key, kind: nonEmptyText })
    if (!this.#isolates) throw new NotIsolatedError()
    return this.#worlds.of(key) as this
  }

  /**
   * The name of the world of one API key: `world-1`, `world-2`, … in the order of their creation. It shows no
   * part of the key. Null: all keys share this world, or it serves requests without an accepted key.
   *
   * @internal
   */
  get worldName(): string | null {
    return this.#ofKey?.name ?? null
  }

  /**
   * The emulator that this world belongs to.
   *
   * @internal
   */
  get whole(): Emulator {
    return this.#ofKey?.parent ?? this
  }

  /**
   * Returns the world with that name, or the world of that API key.
   *
   * @throws {NotFoundError} When it is the name of a world, but no world has it. It is probably from before a
   * restart. As a key, it would create one more world.
   * @internal
   */
  worldCalled(nameOrKey: string): Emulator {
    const { whole } = this
    const isKey = !whole.#isolates || whole.#worlds.has(nameOrKey)
    return (isKey ? undefined : whole.#worlds.named(nameOrKey)) ?? whole.world(nameOrKey)
  }

  /**
   * The worlds of the emulator that this world belongs to.
   *
   * @internal
   */
  get allWorlds(): Iterable<Emulator> {
    return this.whole.worlds
  }

  /** The worlds of all keys that were used. Empty if all keys share one world. */
  get worlds(): Iterable<this> {
    return this.#worlds.all as Iterable<this>
  }

  /**
   * Calls the listener with each world that is created from now on, with `isolate`.
   *
   * @example
   * emulator.onWorld((world) => console.log(world.apiKey))
   */
  onWorld(listener: (world: this) => void): void {
    this.#worlds.onCreated((world) => listener(world as this))
  }

  /**
   * Resolves when the models that the scenario begins with exist. Requests, and the methods that create
   * or save records, wait for them. Call it before you read `emulator.db` right after a creation or a
   * reset.
   *
   * @example
   * await emulator.ready()
   * console.log(emulator.db.models.all())
   */
  async ready(): Promise<void> {
    while (this.engine.ready) await this.engine.ready
  }

  /**
   * Changes how time passes. The same as `clock.use`.
   *
   * @throws {OptionsError} When there is no such mode, or the speed cannot be used.
   * @example
   * emulator.useClock('real', { speed: 60 })
   */
  useClock(mode: ClockMode, options: ClockChange = {}): void {
    checkArgument('useClock', { name: 'mode', value: mode, kind: clockMode })
    clockChange.check(options, 'useClock')
    this.engine.useClock(mode, options.speed)
  }

  /**
   * Runs everything that is scheduled, until nothing is left to do, or until `promise` settles.
   *
   * @param promise What your client does. Its rejection is ignored here: await it to see the error.
   * @returns What happened.
   * @throws {SettleError} When it takes too long.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * await emulator.settle()
   */
  settle(promise?: Promise<unknown>, options?: SettleOptions): Promise<SettleReport> {
    return settle(this, promise, options)
  }

  /**
   * Triggers an event for the automations that watch for it. The same as `webhooks.trigger`.
   *
   * @param type The type of the event, such as `RUN_STATE`.
   * @param facts The facts of the event, and the name of a webhook in `to`.
   * @returns The deliveries, as soon as they are queued.
   * @throws {UnknownEventError} When there is no such event.
   * @throws {NotFoundError} When no webhook is named `to`.
   * @throws {OptionsError} When a fact can't be used, or when the event does not have it.
   * @example
   * const [delivery] = await emulator.trigger('RUN_STATE', { state: 'failed' })
   */
  trigger(
    type: EventType | (string & {}),
    facts?: TriggerFacts & { to?: string },
  ): Promise<readonly Delivery[]> {
    return this.webhooks.trigger(type, facts)
  }

  /**
   * Returns a job: by its id, the latest of a model, or the latest of all. The handle stays up to date.
   *
   * @throws {NoSuchJobError} When there is no such job.
   * @throws {OptionsError} When `which` can't be used.
   * @example
   * emulator.job({ model: 'poet' }).status
   */
  job(which?: WhichJob): JobHandle {
    return this.jobs.get(which)
  }

  /**
   * Checks that nothing is left over: jobs that have not ended, faults that were never hit, deliveries
   * that were not acknowledged, and requests without an operation or a response.
   *
   * @throws {PendingError} When something is left over, with a table of it.
   * @example
   * afterEach(() => emulator.assertNothingPending())
   */
  assertNothingPending(): void {
    const pending = pendingIn(this)
    if (pending.length > 0) throw new PendingError(pending, this)
  }

  /**
   * Checks that clients made no mistake that costs money or data with the real service. It passes over warnings. The
   * Vitest fixture prints them, and `clientChecks()` of the control client returns them.
   *
   * @param checks Turns checks off. Default: all are on.
   * @throws {ClientCheckError} When a check fails, with everything that was found.
   * @throws {OptionsError} When there is no such check.
   * @example
   * emulator.assertClientChecks({ pollsPastTheEnd: false })
   */
  assertClientChecks(checks?: ClientChecks): void {
    const findings = failedClientChecks(this, checks)
    if (findings.length > 0) throw new ClientCheckError(findings, this)
  }

  /**
   * Formats what has happened and what is scheduled, in order of time, with the seed. Print it when a test
   * fails. With `isolate`, each world has its own part.
   *
   * @example
   * console.log(emulator.trace())
   */
  trace(): string {
    return tracesOf(this)
  }

  /**
   * Returns what was sampled and which jobs trained on it: the sample of each answer, its checkpoint, and how far it
   * was behind.
   *
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const { jobs, unused } = emulator.lineage()
   * console.log(jobs[0]?.groups[0]?.trajectories[0]?.answers[0]?.lag, unused.length)
   */
  lineage(options: LineageOptions = {}): LineageReport {
    lineageOptions.check(options)
    return lineageOf(this.engine, options)
  }

  /**
   * Writes what happened as one HTML page that needs nothing else: what failed, the trace, requests,
   * deliveries, curves, and the scenario. It contains no keys and no secrets. With `isolate`, it has all worlds.
   *
   * @returns The text of the page.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const page = await emulator.report({ contents: 'redacted' })
   */
  async report(options: ReportOptions = {}): Promise<string> {
    reportOptions.check(options)
    const { report } = await this.reporter()
    return report(this, options)
  }

  /**
   * Returns the requests in the HAR format, which browsers and HTTP tools open. It contains no keys and no
   * secrets.
   *
   * @returns An object of HAR 1.2. Write it with `JSON.stringify`.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const text = JSON.stringify(await emulator.har())
   */
  async har(options: HarOptions = {}): Promise<Har> {
    harOptions.check(options)
    const { har } = await this.reporter()
    return har(this, options)
  }

  /**
   * Loads what writes reports.
   *
   * @internal
   */
  reporter(): Promise<Reporter<Emulator>> {
    return this.#parts.loadReporter()
  }

  /**
   * Loads what answers MCP clients. Undefined: the runtime has none.
   *
   * @internal
   */
  mcp(): Promise<McpEndpoint<Emulator>> | undefined {
    return this.#parts.loadMcp?.()
  }

  /**
   * Changes the scenario until the next reset. The seed, the clock and what is running stay.
   *
   * @throws {ScenarioError} When the scenario is unknown or cannot be used. Then nothing changes.
   * @example
   * emulator.follow('failing-job')
   */
  follow(scenario: WhichScenario): void {
    const chosen = this.#world.chosen(scenario)
    for (const each of this.#all) each.#world.play(chosen)
  }

  /**
   * Changes the scenario that the emulator was created with. The next reset returns to the new one.
   *
   * @throws {ScenarioError} When the scenario is unknown or cannot be used. Then nothing changes.
   * @example
   * emulator.revise(await loadScenario('scenario.yaml'))
   */
  revise(scenario: WhichScenario): void {
    const chosen = this.#world.chosen(scenario)
    for (const each of this.#all) each.#world.revise(chosen)
  }

  /**
   * Starts over in a fresh world: it removes all records, journal entries and scheduled tasks, and breaks
   * off delayed responses. The scenario, the seed and the clock are those of the creation. With `isolate`,
   * it resets the worlds of all keys.
   *
   * @param scenario Applies to this reset only: the next `reset()` returns to the scenario of the
   * creation.
   * @param options `seed` applies to this reset only, too.
   * @throws {ScenarioError} When the scenario is unknown or cannot be used. Then nothing changes.
   * @throws {OptionsError} When an option can't be used. Then nothing changes.
   * @example
   * afterEach(() => emulator.reset())
   */
  reset(scenario?: WhichScenario, options: ResetOptions = {}): void {
    resetOptions.check(options)
    const chosen = scenario === undefined ? undefined : this.#world.chosen(scenario)
    for (const each of this.#all) each.#world.reset({ scenario: chosen, seed: options.seed })
  }

  /**
   * Saves the whole world, and what is scheduled in it, as one JSON value.
   *
   * @returns A value for `emulator.restore()` or `createEmulator({ snapshot })`.
   * @throws {SnapshotError} When each key has a world of its own, or the world is too large for one text.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const snapshot = await emulator.snapshot({ secrets: false })
   */
  async snapshot(options: SnapshotOptions = {}): Promise<Snapshot> {
    snapshotOptions.check(options)
    if (this.#isolates) throw notOneWorld()
    await this.ready()
    return snapshotOf(() => this.#world.moment(), options)
  }

  /**
   * Replaces the world with that of a snapshot. It is done when this returns, so a large world blocks its process for
   * seconds.
   *
   * @param snapshot What `emulator.snapshot()` resolved to, or the parsed JSON of an exported file.
   * @throws {SnapshotError} When it cannot be used. The error names the wrong fields, and nothing
   * changes.
   * @throws {ScenarioError} When the folder of a tokenizer cannot be used here. Nothing changes.
   * @example
   * const snapshot = await emulator.snapshot()
   * emulator.jobs.fail()
   * emulator.restore(snapshot)
   */
  restore(snapshot: unknown): void {
    if (this.#isolates) throw notOneWorld()
    this.#world.restore(snapshot)
  }

  /**
   * Does the same in slices, with pauses in which requests are answered: until all is there, by the world before. When
   * it resolves, a data folder has the new world. Restores run one after the other.
   *
   * @internal
   */
  async restoreInSlices(snapshot: unknown): Promise<void> {
    if (this.#isolates) throw notOneWorld()
    await this.#world.restoreInSlices(snapshot)
  }

  /**
   * Cancels everything that is scheduled, and stops listening. With `isolate`, it closes all worlds.
   *
   * @example
   * afterAll(() => emulator.close())
   */
  async close(): Promise<void> {
    this.#closing.begin()
    this.#world.stop()
    const worlds = [...this.worlds].map((world) => world.close())
    await Promise.all([...worlds, ...this.#closing.end()])
  }

  /**
   * Closes the emulator at the end of the block, for `await using`.
   *
   * @example
   * await using emulator = createEmulator()
   * await emulator.listen()
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /**
   * Calls the function when the emulator closes. `emulator.close()` resolves after it.
   *
   * @internal
   */
  onClose(close: () => Promise<void>): void {
    this.#closing.add(close)
  }

  /**
   * Which of the two hosts a URL belongs to, if any.
   *
   * @internal
   */
  hostOf({ origin }: { origin: string }): Host | undefined {
    for (const host of ['training', 'inference'] as const) {
      if (origin === this.#origins[host] || origin === IN_PROCESS[host]) return host
    }
    return undefined
  }

  /**
   * Sets where the hosts are served. A transport that opens ports calls it; `undefined`: on no port.
   *
   * @internal
   */
  servedAt(origins: Origins | undefined): void {
    if (origins) this.#closing.reopen()
    this.#origins = origins ?? IN_PROCESS
    for (const world of this.worlds) world.servedAt(origins)
  }

  /**
   * Sets who may use the control API. A transport that opens ports calls it.
   *
   * @internal
   */
  guardControl(access: ControlAccess | undefined): void {
    this.#access = access
    for (const world of this.#all) world.#keepControlToken()
  }

  /**
   * Opens a webhook sink in this process, and attaches it. Undefined if the runtime has none.
   *
   * @internal
   */
  get openSink(): (() => Promise<void>) | undefined {
    const { openSink } = this.#parts
    return openSink && (() => openSink(this))
  }

  /**
   * Sends webhooks to a sink from now on: over the network, or as `handOver` says for each world.
   *
   * @internal
   */
  attach(sink: AttachedSink, handOver?: HandOverOf): void {
    this.#handOver = handOver
    this.#receivers.attach(sink, handOver?.(this))
    this.#world.playAgain()
    for (const world of this.worlds) world.attach(sink, handOver)
  }

  /**
   * Answers any model name from now on, in all worlds, unless an option decides that.
   *
   * @internal
   */
  serveAnyModel(): void {
    for (const each of this.#all) each.#world.serveAnyModel()
  }

  get #isolates(): boolean {
    return this.isolate !== undefined && this.#ofKey === undefined
  }

  /**
   * The scenarios that are not built in and have a name here: that of the creation, and the current one.
   *
   * @internal
   */
  get ownScenarios(): readonly Scenario[] {
    return this.#world.ownScenarios
  }

  /** This world, and those of all keys. */
  get #all(): readonly Emulator[] {
    return [this, ...this.worlds]
  }

  /** A request without an accepted key stays here, where it is refused. */
  #worldFor({ headers, path }: Pick<ApiRequest, 'headers' | 'path'>): Emulator {
    if (!this.#isolates) return this
    const named = this.#worldInAddress(path)
    if (named) return named
    const key = acceptedKey(headers.authorization, this.scenario.auth)
    return key === undefined ? this : this.#worlds.of(key)
  }

  /** The world in the address of a content, which clients send no key to. */
  #worldInAddress(path: string): Emulator | undefined {
    const root = `${this.basePath}${STORAGE_PATH}/`
    if (!path.startsWith(root)) return undefined
    const [name] = path.slice(root.length).split('/')
    return this.#worlds.find(name)
  }

  #createWorld(key: string, name: string): Emulator {
    const { ownScenario: scenario, seed, initial, servesAnyModel: serveAnyModel } = this.#world
    const parts = { ...this.#parts, scenario, seed, serveAnyModel }
    const world = parts.createWorld(parts, { key, name, parent: this, initial })
    world.servedAt(this.#origins)
    if (this.sink) world.attach(this.sink, this.#handOver)
    return world
  }

  #keepControlToken(): void {
    this.journal.redactor.keep('control token', [this.controlToken ?? ''])
  }
}

/** Formats a path with one slash at the start and none at the end; empty if there is no path. */
function asPrefix(path: string): string {
  const inner = path.replaceAll(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

refuseRemoved(Emulator.prototype, removedFromEmulator, 'emulator')

/** Thrown by `emulator.world` when all keys share one world. Code `SVTRAIN_NOT_ISOLATED`. */
export class NotIsolatedError extends EmulatorError {
  override readonly name = 'NotIsolatedError'
  readonly code = 'SVTRAIN_NOT_ISOLATED'
  constructor() {
    super(
      "Failed to find the world of a key: this emulator has one world for all keys. Create it with { isolate: 'api-key' }, or start it with --isolate api-key, to keep them apart.",
    )
  }
}
