import { ApiError } from '../contract/errors.js'
import type { FaultRule, Scenario, WebhookPartsInput } from '../scenario/scenario.js'
import type { ControlAccess, Controlled, Evidence, RecordingSink, Workshop } from './controlled.js'
import { pendingIn, pendingText } from '../testing/pending.js'
import { traceOf } from '../testing/trace.js'
import type { TestedWorld } from '../testing/world.js'
import { version } from '../text/version.js'

/** What the emulator itself brings along for its control API. */
type Core = Omit<Controlled, Ours> & TestedWorld & { readonly sink?: RecordingSink | undefined }

type Ours = 'version' | 'access' | 'stopping' | 'workshop' | 'sink' | 'evidence'

/** The emulator, as its control API sees it. */
export class ControlRoom implements Controlled {
  readonly version = version
  readonly workshop = workshop
  access: ControlAccess = {}
  readonly evidence: Evidence
  readonly #core: Core
  #stop = new AbortController()

  constructor(core: Core) {
    this.#core = core
    this.evidence = evidenceOf(core)
  }

  get engine(): Controlled['engine'] {
    return this.#core.engine
  }

  get seed(): number {
    return this.#core.seed
  }

  get basePath(): string {
    return this.#core.basePath
  }

  get trainingUrl(): string {
    return this.#core.trainingUrl
  }

  get inferenceUrl(): string {
    return this.#core.inferenceUrl
  }

  get isolate(): Controlled['isolate'] {
    return this.#core.isolate
  }

  get webhooks(): Controlled['webhooks'] {
    return this.#core.webhooks
  }

  get sink(): Controlled['sink'] {
    return this.#core.sink
  }

  get stopping(): AbortSignal {
    return this.#stop.signal
  }

  useClock: Controlled['useClock'] = (mode, options) => this.#core.useClock(mode, options)
  settle: Controlled['settle'] = (promise, bounds) => this.#core.settle(promise, bounds)
  follow: Controlled['follow'] = (scenario) => this.#core.follow(scenario)
  reset: Controlled['reset'] = (scenario) => this.#core.reset(scenario)
  snapshot: Controlled['snapshot'] = (options) => this.#core.snapshot(options)
  goOnWith: Controlled['goOnWith'] = (saved) => this.#core.goOnWith(saved)

  worldOf: Controlled['worldOf'] = (key) => this.#core.worldOf(key)

  /** That of one API key's world lets in whom that of the emulator does. */
  beside({ access }: ControlRoom): this {
    this.access = access
    return this
  }

  /** Ends the streams that are open. Later ones are answered. */
  stop(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
  }
}

const workshop: Workshop = {
  async scenarios() {
    const { builtInScenarios } = await import('../scenario/built-in-scenarios.js')
    return builtInScenarios
  },
  async scenarioNamed(name) {
    const { builtInScenario } = await import('../scenario/built-in-scenarios.js')
    return orRefusal(() => builtInScenario(name))
  },
  async readScenario(input): Promise<Scenario | ApiError> {
    const { checkScenario } = await import('../scenario/check-scenario.js')
    return orRefusal(() => checkScenario(input))
  },
  async yamlOf(scenario) {
    const { scenarioText } = await import('../scenario/scenario-text.js')
    return scenarioText(scenario)
  },
  async readFault(input): Promise<FaultRule | ApiError> {
    const [{ checkPart }, { fault }] = await Promise.all([
      import('../scenario/check-scenario.js'),
      import('../scenario/schema/faults.js'),
    ])
    return orRefusal(() => checkPart(fault, input, 'The fault cannot be used:'))
  },
  async readSnapshot(input) {
    const { readSnapshot } = await import('../emulator/read-snapshot.js')
    return readSnapshot(input)
  },
  async readWebhooks(input, present) {
    const { checkWebhooks } = await import('../scenario/check-scenario.js')
    return orRefusal(() => checkWebhooks(input as WebhookPartsInput, present))
  },
}

function evidenceOf(world: TestedWorld): Evidence {
  return {
    pending() {
      const pending = pendingIn(world)
      return { pending, text: pendingText(pending, world) }
    },
    trace: (entries) => traceOf(world, entries && { entries }),
    async nearest(meant) {
      const { Requests } = await import('../testing/requests.js')
      return new Requests(world).nearestTo(meant)
    },
  }
}

/** A `ScenarioError` says what is wrong in words that a client of the control API can use as well. */
function orRefusal<T>(read: () => T): T | ApiError {
  try {
    return read()
  } catch (error) {
    return new ApiError(400, (error as Error).message)
  }
}
