import { createFetch } from '../emulator/adapters/fetch.js'
import type { ClockMode } from '../base/clock/clock.js'
import { isControlPath } from '../emulator/control/control-path.js'
import { createControlHandler } from '../emulator/control/handle.js'
import type { ChecksSource } from '../emulator/checks.js'
import { Emulator, type EmulatorParts, type McpEndpoint } from '../emulator/emulator.js'
import {
  emulatorOptions,
  type EmulatorOptions,
  type WhichScenario,
} from '../emulator/emulator-options.js'
import { continuationOf, worldToContinue } from '../emulator/snapshot.js'
import type { WorldStorage } from '../emulator/world-keeper.js'
import type { OpenTrainingData } from '../service/engine/jobs/training-data.js'
import type { SavedWorld } from '../service/engine/snapshot/restore.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../service/scenario/built-in-scenarios.js'
import type { Scenario } from '../service/scenario/scenario.js'
import type { Options } from '../base/text/options.js'
import { Transport } from '../webhooks/sending/transport.js'
import type { Send } from '../webhooks/sending/transport.js'
import { controlOperations, operations } from './control-table.js'

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
