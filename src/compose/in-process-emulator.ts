import { Checkpoints } from '../emulator/checkpoints.js'
import { Jobs } from '../emulator/jobs.js'
import { Models } from '../emulator/models.js'
import { createFetch } from '../adapters/fetch.js'
import {
  builtInScenario,
  DEFAULT_SCENARIO,
  type BuiltInScenarioName,
} from '../scenario/built-in-scenarios.js'
import { checkScenario, checkWebhooks } from '../scenario/check-scenario.js'
import type { CoreOptions } from '../emulator/core-options.js'
import { EmulatorCore } from '../emulator/emulator.js'
import { FaultControl } from '../emulator/fault-control.js'
import type { Scenario, ScenarioInput } from '../scenario/scenario.js'
import { readSnapshot } from '../emulator/read-snapshot.js'
import { goingOn, takenUp } from '../emulator/snapshot.js'
import {
  ClientCheckError,
  failedClientChecks,
  type ClientChecks,
} from '../testing/client-checks.js'
import type { JobHandle, WhichJob } from '../testing/job-handle.js'
import { PendingError, pendingIn } from '../testing/pending.js'
import { Requests } from '../testing/requests.js'
import { traceOf } from '../testing/trace.js'
import { Transport } from '../webhooks/transport.js'
import type { Send } from '../webhooks/transport.js'
import { webhookTarget, type WebhookReceiver } from '../webhooks/receivers.js'
import { clockMode, clockSpeed, type ClockMode } from '../clock/clock.js'
import {
  anyFunction,
  isObject,
  isPromise,
  kindOf,
  listOf,
  oneOf,
  Options,
  parts,
  aSecret,
  webUrl,
  wholeNumber,
  type Kind,
} from '../text/options.js'

/** A built-in scenario's name, or a scenario of your own. */
export type WhichScenario = BuiltInScenarioName | (string & {}) | ScenarioInput

export interface InProcessOptions {
  /** A built-in scenario's name, or a scenario of your own. Default: `happy-path`. */
  scenario?: WhichScenario
  /** All ids, metrics and words are drawn from it. Default: the scenario's, or 1. */
  seed?: number
  /** To go on with: what `emulator.snapshot()` gave, or the JSON of an exported file. */
  snapshot?: unknown
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
  /**
   * Receivers of webhooks, by URL or with the secret that signs: each hears of every event of jobs and
   * artifacts, or of what the scenario's own webhooks say that have no URL.
   */
  webhooks?: readonly (string | WebhookReceiver)[]
  /** How deliveries leave. Default: connections of our own, or fetch once MSW's `handlers` are used. */
  send?: Send
}

const scenarioKind = kindOf('the name of a scenario, or a scenario', (value) => {
  return typeof value === 'string' || isObject(value)
})

const snapshotKind = kindOf(
  'what emulator.snapshot() resolves to, or the parsed JSON of an exported file',
  (value) => typeof value === 'object' && !isPromise(value),
)

const pathKind = kindOf(
  'a path of letters, digits and . _ ~ - such as "/api/training"',
  (value) => {
    return (
      typeof value === 'string' && /^[\w.~/-]*$/.test(value) && !/(?:^|\/)\.\.?(?:\/|$)/.test(value)
    )
  },
)

const receiverKind: Kind = {
  check(value, place) {
    const either = isObject(value) ? parts(webhookTarget) : webUrl
    either.check(value, place)
  },
}

export const inProcessOptions = new Options<InProcessOptions>('createEmulator', {
  scenario: scenarioKind,
  seed: wholeNumber(),
  snapshot: snapshotKind,
  clock: clockMode,
  speed: clockSpeed,
  apiKeys: listOf(aSecret),
  basePath: pathKind,
  isolate: oneOf('api-key'),
  webhooks: listOf(receiverKind),
  send: anyFunction,
})

/** The emulator wherever JavaScript runs, browsers included: everything but ports and files. */
export class InProcessEmulator extends EmulatorCore {
  /** The emulator as a fetch function, for clients that take one: no port, no interception. */
  readonly fetch: typeof globalThis.fetch = createFetch(this.handle, (url) => this.hostOf(url), {
    closed: () => this.closed,
  })
  /** What goes wrong, changed while things go on. */
  readonly faults = new FaultControl(() => this.engine)
  /** Models, jobs and checkpoints, arranged without a request; what is not named is invented. */
  readonly models = new Models(() => this.engine)
  readonly jobs = new Jobs(this, this.models)
  readonly checkpoints = new Checkpoints(() => this.engine, this.models)
  /** What it was asked. */
  readonly requests = new Requests(this)

  constructor(options: InProcessOptions & Partial<CoreParts>) {
    const { part, isolate, clock, speed } = options
    const { scenario, seed, saved } = beginningOf(options)
    // The world of one key can do what the whole can: in Node, open ports of its own.
    const Class = new.target
    const createWorld: CoreOptions<EmulatorCore>['createWorld'] = (itsPart) =>
      new Class({ ...options, part: itsPart })
    super({
      scenario,
      seed,
      saved,
      storage: part ? undefined : options.storage,
      clock: {
        mode: clock ?? scenario.clock?.mode ?? 'auto',
        speed: speed ?? scenario.clock?.speed,
      },
      apiKeys: options.apiKeys,
      basePath: options.basePath,
      openTrainingData: options.openTrainingData,
      webhooks: targetsOf(options.webhooks ?? []),
      outgoing: options.outgoing ?? new Transport({ send: options.send }),
      checkWebhooks,
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
   * Starts over with a fresh world: its records, its journal and everything scheduled are gone.
   * Scenario, seed and clock are those that the emulator was created with.
   *
   * @param scenario - A built-in scenario's name, or a scenario of your own. It applies to this reset
   * only: the next `reset()` returns to the scenario of the creation.
   * @throws ScenarioError if the scenario is unknown or cannot be used; then nothing changes.
   * @example
   * afterEach(() => emulator.reset())
   */
  override reset(scenario?: WhichScenario): void {
    super.reset(scenario === undefined ? undefined : chosenScenario(scenario))
  }

  /**
   * Goes on with what a snapshot says, in the place of what was there.
   *
   * @param snapshot What `emulator.snapshot()` gave, or the JSON of an exported file.
   * @throws {SnapshotError} Names the fields that are wrong; then nothing is changed.
   */
  restore(snapshot: unknown): void {
    this.goOnWith(readSnapshot(snapshot))
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

  /** @deprecated Use `assertClientChecks`. */
  assertSoundConduct(checks?: ClientChecks): void {
    this.assertClientChecks(checks)
  }

  /** What happened so far, in order of time, and the seed: for a failing test. */
  trace(): string {
    return traceOf(this)
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

/** What only the environment can provide, and what a world has of the emulator that it is a part of. */
type CoreParts = Pick<
  CoreOptions<EmulatorCore>,
  'openTrainingData' | 'outgoing' | 'part' | 'storage'
>

/** What there is to begin, or to go on, with. Raises `ScenarioError` or `SnapshotError`. */
function beginningOf({
  scenario,
  seed,
  part,
  storage,
  snapshot,
}: InProcessOptions & Partial<CoreParts>): Pick<
  CoreOptions<EmulatorCore>,
  'scenario' | 'seed' | 'saved'
> {
  if (part) return part
  try {
    const asked = scenario === undefined ? undefined : chosenScenario(scenario)
    const read = snapshot === undefined ? undefined : readSnapshot(snapshot)
    const saved = takenUp({ storage, read })
    if (saved) return { saved, ...goingOn(saved, { scenario: asked, seed }) }
    return { scenario: asked ?? chosenScenario(DEFAULT_SCENARIO), seed }
  } catch (error) {
    storage?.close()
    throw error
  }
}

function targetsOf(given: readonly (string | WebhookReceiver)[]): WebhookReceiver[] {
  return given.map((target) => (typeof target === 'string' ? { url: target } : target))
}

function chosenScenario(scenario: WhichScenario): Scenario {
  return typeof scenario === 'string' ? builtInScenario(scenario) : checkScenario(scenario)
}
