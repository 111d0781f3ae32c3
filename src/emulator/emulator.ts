import { refuseRemoved } from '../base/text/removed-error.js'
import { removedFromEmulator } from '../base/text/removed.js'
import { acceptedKey } from '../service/api/authenticate.js'
import { encode } from '../service/api/encode.js'
import { createHandler } from '../service/api/handle.js'
import { newSecret } from '../base/random/secret.js'
import { ContentAddresses } from '../service/api/platform/content-addresses.js'
import { STORAGE_PATH } from '../service/api/platform/paths.js'
import { receiveUpload } from '../service/api/platform/rows.js'
import {
  clockChange,
  clockMode,
  type Clock,
  type ClockChange,
  type ClockMode,
  type ClockOptions,
} from '../base/clock/clock.js'
import { allAtOnce, inSlices } from '../base/clock/slices.js'
import { nextTurn } from '../base/clock/wall.js'
import { apiErrors } from '../service/contract/errors.js'
import type { ContentReceiver, ReceiveContent } from '../service/contract/content.js'
import type { ApiRequest, Host, Outcome } from '../service/contract/exchange.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../service/contract/versions.js'
import { Engine } from '../service/engine/engine.js'
import { Unavailable, type OpenTrainingData } from '../service/engine/jobs/training-data.js'
import { Journal } from '../service/engine/journal.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import { Warnings, type WarningOptions } from '../service/engine/warnings.js'
import { wholeWorld } from '../service/engine/saved/save.js'
import { savedParts } from './saved-parts.js'
import { contentsOf } from '../service/engine/saved/contents.js'
import { builtInScenario, isBuiltIn } from '../service/scenario/built-in-scenarios.js'
import { missingSecrets, missingText } from '../service/scenario/missing-secrets.js'
import type { EventType, Scenario } from '../service/scenario/scenario.js'
import { withAnyModel, withKeys } from '../service/scenario/extend-scenario.js'
import { ClientCheckError, failedClientChecks, type ClientChecks } from './testing/client-checks.js'
import type { JobHandle, WhichJob } from './testing/job-handle.js'
import { PendingError, pendingIn } from './testing/pending.js'
import { Requests } from './testing/requests.js'
import { settle, type SettleOptions, type SettleReport } from './testing/settle.js'
import { tracesOf } from './testing/trace.js'
import { warnOfTraining } from './testing/training-warnings.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import { checkArgument, Options, wholeNumber } from '../base/text/options.js'
import type { HandOver } from '../webhooks/sending/sender.js'
import type { Transport } from '../webhooks/sending/transport.js'
import {
  Receivers,
  type AttachedSink,
  type ConfiguredReceiver,
} from '../webhooks/sending/receivers.js'
import type { Delivery } from '../webhooks/sending/delivery.js'
import type { TriggerFacts } from '../webhooks/sending/trigger.js'
import { NotFoundError, Webhooks } from '../webhooks/sending/webhooks.js'
import { Artifacts } from './artifacts.js'
import { Checkpoints } from './checkpoints.js'
import type { ChecksSource } from './checks.js'
import { databaseOf, type Database } from './db.js'
import type { EmulatorOptions, WhichScenario } from './emulator-options.js'
import { FaultControl } from './faults.js'
import { Jobs } from './jobs.js'
import { lineageOf, lineageOptions, type LineageOptions, type LineageReport } from './lineage.js'
import { Models } from './models.js'
import {
  harOptions,
  reportOptions,
  type Har,
  type HarOptions,
  type ReportOptions,
} from './report-options.js'
import { Runs } from './runs.js'
import {
  notOneWorld,
  SnapshotError,
  snapshotOf,
  snapshotOptions,
  withFunctionsOf,
  type Snapshot,
  type SnapshotOptions,
  type WorldMoment,
} from './snapshot.js'
import type { Tokenizers } from './tokenizers.js'
import { WorldKeeper, type StoredWorld, type WorldStorage } from './world-keeper.js'

/**
 * The key that clients use if any key is accepted. It has the form of a key for a private server: a
 * prefix, a dash, and 40 letters or digits. Some clients refuse shorter keys.
 */
export const LOCAL_API_KEY = 'svtrain-local00000000000000000000000000000000000'

/** The most worlds of an emulator with `isolate`. One more closes the least recently used one. */
export const MOST_WORLDS = 1000

/** Verbs that tools and runtimes add to emulators, by their names: each says how it is made for an emulator. */
export type Verbs<Added> = {
  readonly [Name in keyof Added]: (emulator: Emulator) => Added[Name]
}

/** The options that an emulator reads as its user gives them. */
type OwnOptions = 'apiKeys' | 'serveAnyModel' | 'basePath' | 'isolate' | 'contract' | 'keepJobs'

/** The parts of an emulator. `compose` puts them together. */
export interface EmulatorParts extends Pick<EmulatorOptions, OwnOptions> {
  /** The scenario, which was checked before. */
  readonly scenario: Scenario
  /** Default: the scenario's, or 1. */
  readonly seed?: number | undefined
  /** A world to continue. It brings its own seed. */
  readonly saved?: SavedWorld | undefined
  readonly clock: ClockOptions
  /** Receivers of webhooks, by their URLs. */
  readonly webhooks?: readonly ConfiguredReceiver[] | undefined
  /** Sends webhooks and other requests. */
  readonly transport: Transport
  /** Where the world is saved as it changes. */
  readonly storage?: WorldStorage | undefined
  /** The base models of the options, and the tokenizers of all base models. */
  readonly tokenizers: Tokenizers
  /** Default: training data comes from artifacts only. */
  readonly openTrainingData?: OpenTrainingData | undefined
  readonly checks: ChecksSource
  /** Opens a webhook sink in this process, and attaches it. Default: the runtime has none. */
  readonly openSink?: ((emulator: Emulator) => Promise<void>) | undefined
  /** Loads what writes reports. Most tests never fail. */
  readonly loadReporter: () => Promise<Reporter>
  /** Loads what answers MCP clients. Default: the runtime has none. */
  readonly loadMcp?: (() => Promise<McpEndpoint>) | undefined
  /** Where warnings go, besides the journal. */
  readonly warnings?: WarningOptions | undefined
  /** Makes the control API of an emulator. Its handler answers `undefined` for any other path. */
  readonly control: (emulator: Emulator) => ControlHandler
  readonly fetch: (emulator: Emulator) => typeof globalThis.fetch
  /** What tools and the runtime add to an emulator, and to each of its worlds. */
  readonly verbs: Verbs<Record<string, unknown>>
}

/** Writes what happened in an emulator, to share it. */
export interface Reporter {
  /** Writes a page. Its options were checked. */
  readonly report: (emulator: Emulator, options: ReportOptions) => Promise<string>
  readonly har: (emulator: Emulator, options: HarOptions) => Har
  /** What the page may load, as the header `Content-Security-Policy`. */
  readonly policy: string
}

/** Answers MCP clients, such as coding assistants. */
export interface McpEndpoint {
  /** Answers a request whose body is a message of MCP. */
  readonly answer: (emulator: Emulator, request: ApiRequest) => Promise<Outcome>
}

export type ControlHandler = (
  request: ApiRequest,
  host: Host,
) => Outcome | Promise<Outcome> | undefined

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

/** What an emulator was created with. A reset without a scenario returns to it. */
interface Initial {
  readonly scenario: Scenario
  readonly seed: number
}

/** What a world plays. */
interface WorldScenario extends Initial {
  /** The scenario without the keys and receivers that are added to it. */
  readonly ownScenario: Scenario
}

/** How the world of one API key differs from the emulator that it belongs to. */
interface WorldPart {
  readonly key: string
  readonly name: string
  readonly parent: Emulator
  readonly initial: Initial
}

/** The options of `reset`. */
export interface ResetOptions {
  /** The seed of the fresh world. Default: that of the creation. */
  seed?: number | undefined
}

export const resetOptions = new Options<ResetOptions>('reset', { seed: wholeNumber() })

type Origins = Readonly<Record<Host, string>>

const IN_PROCESS: Origins = {
  training: 'http://training.svtrain.test',
  inference: 'http://inference.svtrain.test',
}

/**
 * An emulator of the training service. Its properties are what a test can do with it. `createEmulator`
 * creates one.
 *
 * @example
 * const emulator = createEmulator({ clock: 'manual' })
 * const job = await emulator.jobs.start()
 * emulator.clock.advance('1h')
 * console.log(job.status)
 */
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
  readonly #parts: EmulatorParts
  readonly #part: WorldPart | undefined
  readonly #receivers: Receivers
  #handOver: HandOverOf | undefined
  readonly #answer: Emulator['handle']
  /** By API key. The least recently used world comes first. */
  readonly #worlds = new Map<string, Emulator>()
  #worldsCreated = 0
  readonly #worldListeners = new Set<(world: Emulator) => void>()
  readonly #keeper: WorldKeeper | undefined
  readonly #closers = new Set<() => Promise<void>>()
  #initial: Initial
  #played: WorldScenario
  #engine: Engine
  #db: Database | undefined
  #origins = IN_PROCESS
  #access: ControlAccess | undefined
  /** It outlives the engine, so that each warning is given once. */
  #warnings: Warnings | undefined
  /** A reset or a restore replaces them, too. */
  #contents: ContentAddresses
  #starts = 0
  #inFlight = 0
  /** The last of the restores that run one after the other. */
  #restored: Promise<void> = Promise.resolve()
  #closed = false
  #stopping = new AbortController()

  constructor(parts: EmulatorParts, part?: WorldPart) {
    // Nothing keeps the saved world, which takes as much memory as the world itself.
    this.#parts = { ...parts, saved: undefined }
    this.#part = part
    this.isolate = parts.isolate
    this.checks = parts.checks
    this.transport = parts.transport
    this.continued = parts.saved && contentsOf(parts.saved)
    this.basePath = asPrefix(parts.basePath ?? '')
    this.contract = parts.contract ?? NEWEST_CONTRACT
    const seed = parts.saved?.seed ?? parts.seed ?? parts.scenario.seed ?? 1
    this.#initial = part?.initial ?? { scenario: parts.scenario, seed }
    this.#receivers = new Receivers(parts.webhooks, seed)
    this.webhooks = new Webhooks({
      ways: { send: this.transport.send, inside: this.#receivers.inside },
      check: (input, present) => this.checks.loaded.webhooks(input, present),
    })
    this.#played = this.#completed(parts.scenario, seed)
    this.#keepControlToken()
    const { storage } = parts
    const { webhooks, journal } = this
    this.#keeper = storage && new WorldKeeper({ storage, webhooks, journal })
    this.#contents = this.#createAddresses()
    this.#engine = this.#createEngine(this.#played, parts.saved)
    this.#keeper?.keep(this.#engine)
    this.webhooks.follow(this.#engine, parts.saved)
    if (parts.saved) this.#noteRestored(parts.saved)
    this.#answer = createHandler({
      engine: () => this.#engine,
      basePath: this.basePath,
      contract: this.contract,
      contents: () => this.#contents,
      urlOf: (host) => (host === 'training' ? this.trainingUrl : this.inferenceUrl),
      openTrainingData: parts.openTrainingData ?? refuseFiles,
    })
    const control = parts.control(this)
    this.handle = (host, request) => {
      const failed = (error: unknown): Outcome => {
        this.journal.background.report(`answer ${request.method} ${request.path}`, error)
        return encode(apiErrors.internal(host), host)
      }
      try {
        const controlled = control(request, host)
        const outcome = controlled
          ? this.#controlled(controlled, host, request)
          : this.#worldFor(request).#serve(host, request)
        return outcome instanceof Promise ? outcome.catch(failed) : outcome
      } catch (error) {
        return failed(error)
      }
    }
    this.receive = (host, request) => this.#receive(host, request)
    this.fetch = parts.fetch(this)
    for (const [name, verb] of Object.entries(parts.verbs)) {
      Object.assign(this, { [name]: verb(this) })
    }
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
    const [first = LOCAL_API_KEY] = Object.keys(this.#played.scenario.auth.keys ?? {})
    return this.#part?.key ?? first
  }

  /** The seed from which all ids, metrics and words are drawn. */
  get seed(): number {
    return this.#played.seed
  }

  /** The current scenario, with the keys and webhooks that were added to it. */
  get scenario(): Scenario {
    return this.#played.scenario
  }

  /** The clock of the world. A reset replaces it. */
  get clock(): Clock {
    return this.#engine.clock
  }

  /**
   * The scenario engine. A reset replaces it.
   *
   * @internal
   */
  get engine(): Engine {
    return this.#engine
  }

  /**
   * The projects, base models and models of the world, for queries. The records are frozen. A reset
   * or a restore shows the new world. The records that the scenario begins with exist after `ready()`.
   *
   * @example
   * emulator.db.models.findFirst((q) => q.where({ name: 'poet' }))
   */
  get db(): Database {
    this.#db ??= databaseOf(() => this.#engine.store)
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
    return this.#inFlight
  }

  /** Whether the emulator was closed and has not listened again. */
  get closed(): boolean {
    return this.#closed
  }

  /**
   * Aborted when the emulator closes. Streams end then.
   *
   * @internal
   */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /**
   * Who may use the control API.
   *
   * @internal
   */
  get controlAccess(): ControlAccess {
    return this.#access ?? this.#part?.parent.controlAccess ?? {}
  }

  /** The token that the control API demands for calls that change something, if it demands one. */
  get controlToken(): string | undefined {
    return this.controlAccess.token
  }

  /**
   * Returns the world of one API key. It has its own clock, records, scenario, faults and journal.
   *
   * @throws {NotIsolatedError} When all keys share one world.
   * @example
   * const emulator = createEmulator({ isolate: 'api-key' })
   * emulator.world('a-key').faults.add({ fault: 'hang' })
   */
  world(key: string): this {
    if (!this.#isolates) throw new NotIsolatedError()
    return this.#worldOf(key) as this
  }

  /**
   * The name of the world of one API key: `world-1`, `world-2`, … in the order of their creation. It shows no
   * part of the key. Null: all keys share this world, or it serves requests without an accepted key.
   *
   * @internal
   */
  get worldName(): string | null {
    return this.#part?.name ?? null
  }

  /**
   * The emulator that this world belongs to.
   *
   * @internal
   */
  get whole(): Emulator {
    return this.#part?.parent ?? this
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
    if (whole.#worlds.has(nameOrKey)) return whole.world(nameOrKey)
    const named = [...whole.worlds].find((each) => each.worldName === nameOrKey)
    if (!named && whole.#isolates && WORLD_NAME.test(nameOrKey)) throw noWorld(nameOrKey, whole)
    return named ?? whole.world(nameOrKey)
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
  get worlds(): Iterable<Emulator> {
    return this.#worlds.values()
  }

  /**
   * Calls the listener with each world that is created from now on, with `isolate`.
   *
   * @example
   * emulator.onWorld((world) => console.log(world.apiKey))
   */
  onWorld(listener: (world: Emulator) => void): void {
    this.#worldListeners.add(listener)
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
    while (this.#engine.ready) await this.#engine.ready
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
    this.#engine.useClock(mode, options.speed)
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
   * @throws {OptionsError} When a fact about the event can't be used.
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
   * Checks that clients made no mistake that costs money or data with the real service.
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
  reporter(): Promise<Reporter> {
    return this.#parts.loadReporter()
  }

  /**
   * Loads what answers MCP clients. Undefined: the runtime has none.
   *
   * @internal
   */
  mcp(): Promise<McpEndpoint> | undefined {
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
    this.#follow(this.#chosen(scenario))
  }

  /**
   * Changes the scenario that the emulator was created with. The next reset returns to the new one.
   *
   * @throws {ScenarioError} When the scenario is unknown or cannot be used. Then nothing changes.
   * @example
   * emulator.revise(await loadScenario('scenario.yaml'))
   */
  revise(scenario: WhichScenario): void {
    this.#revise(this.#chosen(scenario))
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
    this.#reset(scenario === undefined ? undefined : this.#chosen(scenario), options)
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
    const moment = (): WorldMoment => {
      const { changes } = this.engine
      const { count } = changes
      return {
        records: wholeWorld({ parts: savedParts, world: this }),
        // Another world may replace this one.
        isSame: () => this.engine.changes === changes && changes.count === count,
      }
    }
    return snapshotOf(moment, options)
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
    const saved = this.checks.loaded.snapshot(snapshot)
    const played = this.#continued(saved)
    try {
      this.#startOver(played, this.#createEngine(played, saved), { saved })
    } catch (error) {
      throw flawed(error)
    }
  }

  /**
   * Does the same in slices, with pauses in which requests are answered: until all is there, by the world before. When
   * it resolves, a data folder has the new world. Restores run one after the other.
   *
   * @internal
   */
  restoreInSlices(snapshot: unknown): Promise<void> {
    const restored = this.#restored.then(() => this.#restoreInSlices(snapshot))
    this.#restored = restored.catch(() => {})
    return restored
  }

  async #restoreInSlices(snapshot: unknown): Promise<void> {
    const { readingSnapshot } = await this.checks.load()
    const pause = async (): Promise<void> => {
      await nextTurn()
      if (this.#closed) throw flawed(new Error('the emulator was closed'))
    }
    const saved = await inSlices(readingSnapshot(snapshot), pause)
    await pause()
    const played = this.#continued(saved)
    if (saved.records.length > MANY_RECORDS) {
      this.journal.note(`a snapshot with ${saved.records.length} records is being restored`)
    }
    const engine = this.#newEngine(played, saved)
    let stored: StoredWorld | undefined
    try {
      stored = await this.#keeper?.prepare(saved, pause)
      // The contents are in files by now.
      const world = stored ? { ...saved, contents: new Map<string, Uint8Array>() } : saved
      const { whole, resume } = await inSlices(engine.restore(world), pause)
      await whole
      await pause()
      resume()
      this.#startOver(played, engine, { saved, stored })
    } catch (error) {
      engine.end()
      stored?.drop()
      throw flawed(error)
    }
  }

  /** What a saved world continues with. */
  #continued(saved: SavedWorld): WorldScenario {
    if (this.#isolates) throw notOneWorld()
    const { scenario, seed } = withFunctionsOf(this.#played.ownScenario, saved)
    return this.#usable(scenario, seed)
  }

  /**
   * Cancels everything that is scheduled, and stops listening. With `isolate`, it closes all worlds.
   *
   * @example
   * afterAll(() => emulator.close())
   */
  async close(): Promise<void> {
    this.#stop()
    const worlds = [...this.worlds].map((world) => world.close())
    await Promise.all([...worlds, ...[...this.#closers].map((close) => close())])
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
    this.#closers.add(close)
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
    if (origins) this.#closed = false
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
    for (const world of [this, ...this.worlds]) world.#keepControlToken()
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
    this.#play(this.#played.ownScenario)
    for (const world of this.worlds) world.attach(sink, handOver)
  }

  get #isolates(): boolean {
    return this.isolate !== undefined && this.#part === undefined
  }

  /**
   * The scenarios that are not built in and have a name here: that of the creation, and the current one.
   *
   * @internal
   */
  get ownScenarios(): readonly Scenario[] {
    const own = [this.#initial.scenario, this.#played.ownScenario].filter(
      (each) => !isBuiltIn(each),
    )
    return own.filter(({ name }, index) => own.findIndex((each) => each.name === name) === index)
  }

  #chosen(scenario: WhichScenario): Scenario {
    if (typeof scenario === 'string') {
      return this.ownScenarios.find(({ name }) => name === scenario) ?? builtInScenario(scenario)
    }
    return this.checks.loaded.scenario(scenario)
  }

  #follow(scenario: Scenario): void {
    this.#play(scenario)
    for (const world of this.worlds) world.#follow(scenario)
  }

  #revise(scenario: Scenario): void {
    this.#initial = { ...this.#initial, scenario }
    this.#play(scenario)
    for (const world of this.worlds) world.#revise(scenario)
  }

  #reset(scenario: Scenario | undefined, options: ResetOptions): void {
    const { seed = this.#initial.seed } = options
    const played = this.#usable(scenario ?? this.#initial.scenario, seed)
    this.#startOver(played, this.#createEngine(played))
    for (const world of this.worlds) world.#reset(scenario, options)
  }

  #play(scenario: Scenario): void {
    this.#played = this.#usable(scenario, this.#played.seed)
    this.#engine.applyScenario(this.#played.scenario, this.#played.ownScenario)
    this.webhooks.follow(this.#engine)
  }

  /** The old world ends only after the new one could be created. */
  #startOver(
    played: WorldScenario,
    engine: Engine,
    { saved, stored }: { saved?: SavedWorld; stored?: StoredWorld | undefined } = {},
  ): void {
    const before = this.#engine
    try {
      stored?.nameContents()
      this.webhooks.follow(engine, saved)
    } catch (error) {
      engine.end()
      throw error
    }
    before.end()
    this.journal.clear()
    this.sink?.forgetWorld?.(this.journal)
    this.#engine = engine
    this.#played = played
    this.#contents = this.#createAddresses()
    this.#keeper?.keep(engine, stored)
    if (saved) this.#noteRestored(saved)
  }

  /** Notes what a saved world lacks: a snapshot may leave secrets out, and parts of it may be removed since. */
  #noteRestored({ note }: SavedWorld): void {
    for (const text of [note, missingText(missingSecrets(this.webhooks.parts))]) {
      if (text !== undefined) this.journal.note(text)
    }
  }

  #stop(): void {
    this.#closed = true
    this.#keeper?.close()
    this.webhooks.stop()
    this.#stopping.abort()
    // Streams that open later are answered.
    this.#stopping = new AbortController()
    this.#engine.stop()
  }

  #serve(host: Host, request: ApiRequest): Outcome | Promise<Outcome> {
    const outcome = this.#answer(host, request)
    if (outcome instanceof Promise) {
      this.#inFlight++
      const over = (): number => this.#inFlight--
      outcome.then(over, over)
    }
    return this.#keeper?.answer(outcome, host) ?? outcome
  }

  /** The answer of the control API. The stream of a world outlives its requests, so its errors are reported here. */
  #controlled(
    answered: Outcome | Promise<Outcome>,
    host: Host,
    request: ApiRequest,
  ): Outcome | Promise<Outcome> {
    if (answered instanceof Promise) {
      return answered.then((outcome) => this.#controlled(outcome, host, request))
    }
    const outcome =
      answered.kind === 'stream'
        ? { ...answered, chunks: this.journal.watched(answered.chunks, request) }
        : answered
    return this.#keeper?.answer(outcome, host) ?? outcome
  }

  /** Takes the content of an upload as it arrives. */
  #receive(...[host, request]: Parameters<ReceiveContent>): ContentReceiver | undefined {
    if (host !== 'training' || request.method !== 'PUT') return undefined
    const world = this.#worldFor(request)
    const path = request.path.slice(this.basePath.length)
    return receiveUpload({ engine: world.engine, contents: world.#contents }, { ...request, path })
  }

  /** A request without an accepted key stays here, where it is refused. */
  #worldFor({ headers, path }: Pick<ApiRequest, 'headers' | 'path'>): Emulator {
    if (!this.#isolates) return this
    const named = this.#worldInAddress(path)
    if (named) return named
    const key = acceptedKey(headers.authorization, this.#played.scenario.auth)
    return key === undefined ? this : this.#worldOf(key)
  }

  /** The world in the address of a content, which clients send no key to. */
  #worldInAddress(path: string): Emulator | undefined {
    const root = `${this.basePath}${STORAGE_PATH}/`
    if (!path.startsWith(root)) return undefined
    const [name] = path.slice(root.length).split('/')
    return [...this.worlds].find(({ worldName }) => worldName === name)
  }

  #worldOf(key: string): Emulator {
    const world = this.#worlds.get(key) ?? this.#createWorld(key)
    this.#worlds.delete(key)
    this.#worlds.set(key, world)
    if (this.#worlds.size > MOST_WORLDS) this.#closeOldestWorld()
    return world
  }

  #createWorld(key: string): Emulator {
    const parts = {
      ...this.#parts,
      scenario: this.#played.ownScenario,
      seed: this.#played.seed,
      saved: undefined,
    }
    const name = `world-${++this.#worldsCreated}`
    const world = new Emulator(parts, { key, name, parent: this, initial: this.#initial })
    world.servedAt(this.#origins)
    if (this.sink) world.attach(this.sink, this.#handOver)
    for (const listener of this.#worldListeners) listener(world)
    return world
  }

  #closeOldestWorld(): void {
    const [key, world] = this.#worlds.entries().next().value!
    this.#worlds.delete(key)
    void this.journal.background.watch('close the least recently used world', world.close())
    this.journal.note(
      `The least recently used world is closed: there are more than ${MOST_WORLDS} keys.`,
    )
  }

  #createEngine(played: WorldScenario, saved?: SavedWorld): Engine {
    const engine = this.#newEngine(played, saved)
    if (saved) allAtOnce(engine.restore(saved)).resume()
    return engine
  }

  /** Creates an engine that a saved world can be restored into. */
  #newEngine({ scenario, ownScenario, seed }: WorldScenario, saved?: SavedWorld): Engine {
    const { journal } = this
    const { clock, storage, tokenizers, keepJobs } = this.#parts
    this.#warnings ??= new Warnings(journal, this.#parts.warnings)
    const engine = new Engine({
      scenario,
      savedScenario: ownScenario,
      seed,
      clock,
      keepJobs,
      journal,
      warnings: this.#warnings,
      restoresFrom: saved?.now,
      blobFiles: storage?.contents,
      tokenizerFiles: tokenizers.filesOf,
    })
    warnOfTraining({ engine, journal, webhooks: this.webhooks, seed })
    return engine
  }

  /** Addresses end with their world. Those that a data folder has saved go on after a restart. */
  #createAddresses(): ContentAddresses {
    const number = ++this.#starts
    return new ContentAddresses({
      world: this.worldName ?? MAIN_WORLD,
      secret: () => `${this.#contentSecret()} ${number}`,
    })
  }

  /** What nobody outside of the world knows: its keys if there are some. */
  #contentSecret(): string {
    const keys = this.#part ? [this.#part.key] : Object.keys(this.#played.scenario.auth.keys ?? {})
    return keys.length > 0 ? keys.join() : (this.#parts.storage?.secret?.() ?? newSecret())
  }

  #keepControlToken(): void {
    this.journal.redactor.keep('control token', [this.controlToken ?? ''])
  }

  /** Adds the keys, receivers and other settings of the options to a scenario. */
  #completed(ownScenario: Scenario, seed: number): WorldScenario {
    const { apiKeys = [], serveAnyModel, tokenizers } = this.#parts
    const keyed = withKeys(tokenizers.completed(ownScenario), apiKeys)
    const keys = [LOCAL_API_KEY, this.#part?.key ?? '', ...Object.keys(keyed.auth.keys ?? {})]
    this.journal.redactor.keep('API keys', keys)
    const scenario = this.#receivers.completed(withAnyModel(keyed, serveAnyModel))
    return { ownScenario, scenario, seed }
  }

  /**
   * The same, for a scenario whose tokenizers were not read before.
   *
   * @throws {ScenarioError} When a tokenizer cannot be used. Nothing was changed.
   */
  #usable(scenario: Scenario, seed: number): WorldScenario {
    this.#parts.tokenizers.check(scenario)
    return this.#completed(scenario, seed)
  }
}

/** Formats a path with one slash at the start and none at the end; empty if there is no path. */
function asPrefix(path: string): string {
  const inner = path.replaceAll(/^\/+|\/+$/g, '')
  return inner === '' ? '' : `/${inner}`
}

/** How many records take so long to restore that somebody wonders. */
const MANY_RECORDS = 1000

function flawed(error: unknown): SnapshotError {
  if (error instanceof SnapshotError) return error
  const message = (error as Error).message.replace(/\.$/, '')
  return new SnapshotError(
    'SVTRAIN_SNAPSHOT_INVALID',
    `Failed to restore the snapshot: ${message}. Nothing was changed.`,
  )
}

const refuseFiles: OpenTrainingData = (url) =>
  Promise.resolve(new Unavailable(`${url} cannot be opened in this environment`))

/** The name of the world of all keys, in addresses of contents. */
const MAIN_WORLD = 'main'

refuseRemoved(Emulator.prototype, removedFromEmulator, 'emulator')

/** The names that worlds are given. */
const WORLD_NAME = /^world-\d+$/

function noWorld(name: string, { worlds }: Emulator): NotFoundError {
  const names = Array.from(worlds, ({ worldName }) => worldName)
  const known =
    names.length === 0 ? 'No API key was used yet.' : `There are ${names.slice(0, 10).join(', ')}.`
  return new NotFoundError(`Failed to find the world "${name}". ${known}`)
}

/** Thrown by `emulator.world` when all keys share one world. Code `SVTRAIN_NOT_ISOLATED`. */
export class NotIsolatedError extends EmulatorError {
  override readonly name = 'NotIsolatedError'
  readonly code = 'SVTRAIN_NOT_ISOLATED'
  constructor() {
    super(
      "Failed to find the world of a key: this emulator has one world for all keys. Create it with { isolate: 'api-key' } to keep them apart.",
    )
  }
}
