import { createFetch } from '../emulator/adapters/fetch.js'
import { clockMode, clockSpeed, type ClockMode } from '../base/clock/clock.js'
import {
  contractHint,
  contractVersions,
  type ContractVersion,
} from '../service/contract/versions.js'
import { isControlPath } from '../emulator/control/control-path.js'
import { createControlHandler } from '../emulator/control/handle.js'
import type { ChecksSource } from '../emulator/checks.js'
import {
  Emulator,
  type EmulatorParts,
  type McpEndpoint,
  type WhichScenario,
} from '../emulator/emulator.js'
import { continuationOf, worldToContinue } from '../emulator/snapshot.js'
import type { WorldStorage } from '../emulator/world-keeper.js'
import type { OpenTrainingData } from '../service/engine/jobs/training-data.js'
import type { SavedWorld } from '../service/engine/snapshot/restore.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../service/scenario/built-in-scenarios.js'
import type { Scenario } from '../service/scenario/scenario.js'
import {
  anyFunction,
  aFlag,
  aSecret,
  choiceOf,
  isObject,
  isPromise,
  kindOf,
  listOf,
  oneOf,
  Options,
  parts,
  webUrl,
  wholeNumber,
  type Kind,
} from '../base/text/options.js'
import { Transport } from '../webhooks/sending/transport.js'
import type { Send } from '../webhooks/sending/transport.js'
import { webhookTarget, type WebhookReceiver } from '../webhooks/sending/receivers.js'
import { controlOperations, operations } from './control-table.js'

/** The options of `createEmulator` on every platform. */
export interface EmulatorOptions {
  /** The name of a built-in scenario, or a scenario of your own. Default: `happy-path`. */
  scenario?: WhichScenario | undefined
  /** A number from which all ids, metrics and words are drawn. Default: the scenario's, or 1. */
  seed?: number | undefined
  /** A world to continue: what `emulator.snapshot()` resolved to, or the JSON of an exported file. */
  snapshot?: unknown
  /** How time passes. Default: the scenario's, or `auto`. */
  clock?: ClockMode | undefined
  /** With the `real` clock: scenario seconds per real second. Default: the scenario's, or 1. */
  speed?: number | undefined
  /**
   * The keys that are accepted, together with those of the scenario. Default: those of the scenario, or
   * any key if it lists none.
   */
  apiKeys?: readonly string[] | undefined
  /**
   * Whether chats with any model name are answered, as a base model of that name. Names of artifacts must
   * still exist. Default: the scenario's `chat.serve_any_model`, or false.
   */
  serveAnyModel?: boolean | undefined
  /** A path before `/v1`, such as `/api/training`. Default: none. */
  basePath?: string | undefined
  /**
   * `api-key` gives each key a world of its own, so that tests that run side by side can share one
   * emulator. The 1,000 most recently used worlds are kept. Default: one world for all keys.
   */
  isolate?: 'api-key' | undefined
  /**
   * The contract of the service, by the month of its document. `2026-01` refuses or ignores what that
   * version of the service did not know. It is not part of a snapshot. Default: the newest, `2026-11`.
   */
  contract?: ContractVersion | undefined
  /**
   * Receivers of webhooks: a URL, or a URL and the secret that signs. Each one receives the deliveries of
   * the scenario's webhooks without a URL. If there are no such webhooks, it receives every event of jobs
   * and artifacts. Default: none.
   */
  webhooks?: readonly (string | WebhookReceiver)[] | undefined
  /** Sends deliveries. Default: pooled connections, or fetch once MSW's `handlers` are used. */
  send?: Send | undefined
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

export const emulatorOptions = new Options<EmulatorOptions>('createEmulator', {
  scenario: scenarioKind,
  seed: wholeNumber(),
  snapshot: snapshotKind,
  clock: clockMode,
  speed: clockSpeed,
  apiKeys: listOf(aSecret),
  serveAnyModel: aFlag,
  basePath: pathKind,
  isolate: oneOf('api-key'),
  contract: choiceOf(contractVersions, contractHint),
  webhooks: listOf(receiverKind),
  send: anyFunction,
})

/** The abilities that a platform, such as Node, adds to every emulator. */
export interface Platform<PlatformOptions extends EmulatorOptions, Abilities> {
  /** The options of `createEmulator`, with those of the platform. */
  readonly options: Options<PlatformOptions>
  /** Opens the folder that the options name, if they name one. */
  openStorage(options: PlatformOptions, checks: ChecksSource): WorldStorage | undefined
  openTrainingData(options: PlatformOptions): OpenTrainingData
  /** Opens a webhook sink in this process, and attaches it to an emulator. */
  openSink(emulator: Emulator): Promise<void>
  /** Loads what answers MCP clients. */
  loadMcp(): Promise<McpEndpoint>
  /** Opens connections for webhooks, for as long as the emulator is open. */
  connect(): { readonly send: Send; readonly close: () => Promise<void> }
  /** Returns the methods that emulators have only on this platform. */
  abilities(emulator: Emulator): Abilities & object
}

interface Composition<PlatformOptions extends EmulatorOptions, Abilities> {
  /** Without one, an emulator has neither ports nor files. */
  readonly platform?: Platform<PlatformOptions, Abilities>
  readonly checks: ChecksSource
  /** How time passes if neither an option nor the scenario says so. Default: `auto`. */
  readonly clock?: ClockMode
  /** A world to continue that was checked before. It replaces the option `snapshot`. */
  readonly imported?: SavedWorld | undefined
  /** A scenario that was checked before. It replaces the option `scenario`. */
  readonly checked?: Scenario | undefined
}

/**
 * Makes a `createEmulator` function. This is the only place that puts an emulator together: engine, API,
 * control API, transports, and the abilities of the platform.
 */
export function composeEmulator<
  PlatformOptions extends EmulatorOptions = EmulatorOptions,
  Abilities = unknown,
>({
  platform,
  checks,
  clock: defaultClock = 'auto',
  imported,
  checked,
}: Composition<PlatformOptions, Abilities>): (options?: PlatformOptions) => Emulator & Abilities {
  return (options = {} as PlatformOptions) => {
    const known: Pick<Options<object>, 'check'> = platform?.options ?? emulatorOptions
    known.check(options)
    const storage = platform?.openStorage(options, checks)
    const start = startOf(options, { storage, imported, checked, checks })
    const connections = platform?.connect()
    const emulator = new Emulator({
      ...start,
      storage,
      clock: {
        mode: options.clock ?? start.scenario.clock?.mode ?? defaultClock,
        speed: options.speed ?? start.scenario.clock?.speed,
      },
      apiKeys: options.apiKeys,
      serveAnyModel: options.serveAnyModel,
      basePath: options.basePath,
      isolate: options.isolate,
      contract: options.contract,
      webhooks: options.webhooks?.map((each) => (typeof each === 'string' ? { url: each } : each)),
      outgoing: new Transport({ send: options.send, pool: connections?.send }),
      openTrainingData: platform?.openTrainingData(options),
      openSink: platform && ((of) => platform.openSink(of)),
      checks,
      loadReporter,
      loadMcp: platform && (() => platform.loadMcp()),
      control: controlOf,
      fetch: fetchOf,
      abilities: platform && ((of) => platform.abilities(of)),
    })
    if (connections) emulator.onClose(connections.close)
    return emulator as Emulator & Abilities
  }
}

type Start = Pick<EmulatorParts, 'scenario' | 'seed' | 'saved'>

interface Sources {
  readonly storage: WorldStorage | undefined
  readonly imported: SavedWorld | undefined
  readonly checked: Scenario | undefined
  readonly checks: ChecksSource
}

/** The scenario and the seed, and the world to continue, if there is one. */
function startOf(
  { scenario, seed, snapshot }: EmulatorOptions,
  { storage, imported, checked, checks }: Sources,
): Start {
  try {
    const chosen = checked ?? (scenario === undefined ? undefined : scenarioOf(scenario, checks))
    const read = snapshot === undefined ? imported : checks.loaded.snapshot(snapshot)
    const saved = worldToContinue({ storage, read })
    if (saved) return { saved, ...continuationOf(saved, { scenario: chosen, seed }) }
    return { scenario: chosen ?? builtInScenario(DEFAULT_SCENARIO), seed }
  } catch (error) {
    storage?.close()
    throw error
  }
}

function scenarioOf(scenario: WhichScenario, checks: ChecksSource): EmulatorParts['scenario'] {
  return typeof scenario === 'string' ? builtInScenario(scenario) : checks.loaded.scenario(scenario)
}

const controlOf: EmulatorParts['control'] = (emulator) => {
  const answer = createControlHandler(emulator, { rows: controlOperations, operations })
  return (request) => (isControlPath(request.path) ? answer(request) : undefined)
}

const loadReporter: EmulatorParts['loadReporter'] = async () => {
  const { reporter } = await import('../tools/report/reporter.js')
  return reporter
}

const fetchOf: EmulatorParts['fetch'] = (emulator) => {
  return createFetch(emulator.handle, (url) => emulator.hostOf(url), {
    closed: () => emulator.closed,
  })
}
