import { keysWithoutEffect } from './keys-without-effect.js'
import { createFetch } from '../emulator/adapters/fetch.js'
import type { ClockMode } from '../base/clock/clock.js'
import { isControlPath } from '../emulator/control/control-path.js'
import type { ChecksSource } from '../emulator/checks.js'
import type { Emulator } from '../emulator/emulator.js'
import type { EmulatorOptions } from '../emulator/emulator-options.js'
import type { EmulatorParts, McpEndpoint, WorldOfKey } from '../emulator/emulator-parts.js'
import { continuationOf, worldToContinue } from '../emulator/continuation.js'
import { Tokenizers, type ReadTokenizerFolder } from '../emulator/tokenizers.js'
import type { WorldStorage } from '../emulator/world-keeper.js'
import type { ApiRequest, Host, Outcome } from '../service/contract/exchange.js'
import type { OpenTrainingData } from '../service/engine/jobs/training-data.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../service/scenario/built-in-scenarios.js'
import type { WarningOptions } from '../service/engine/warnings.js'
import { namesFile } from '../service/scenario/names-file.js'
import { ScenarioError } from '../service/scenario/scenario-error.js'
import type { Scenario } from '../service/scenario/scenario.js'
import { isUrl, type Options } from '../base/text/options.js'
import { configuredReceivers } from '../webhooks/sending/webhook-receiver.js'
import { Transport, type Send } from '../webhooks/sending/transport.js'

/** What emulators run on: Node or a browser. What is left out, its emulators do not have. */
export interface Runtime<RuntimeOptions extends EmulatorOptions, Created extends Emulator> {
  /** The class of its emulators. */
  readonly Emulator: new (parts: EmulatorParts<Emulator>, ofKey?: WorldOfKey<Emulator>) => Created
  /** The options of `createEmulator`, with those of the runtime. */
  readonly options: Options<RuntimeOptions>
  readonly checks: ChecksSource
  /** Makes the control API of an emulator: what answers the calls to it. */
  readonly control: (
    emulator: Emulator,
  ) => (request: ApiRequest, host: Host) => Outcome | Promise<Outcome>
  /** How time passes if neither an option nor the scenario says so. Default: `auto`. */
  readonly clock?: ClockMode
  /** Opens the folder that the options name, if they name one. */
  readonly openStorage?: (options: RuntimeOptions, checks: ChecksSource) => WorldStorage | undefined
  readonly openTrainingData?: (options: RuntimeOptions) => OpenTrainingData
  /** Reads the scenario of a path or a file URL, at once. */
  readonly readScenario?: (path: string) => Scenario
  /** Reads the folder with the tokenizer of a base model. */
  readonly readTokenizerFolder?: ReadTokenizerFolder
  /** Opens a webhook sink in this process, and attaches it to an emulator. */
  readonly openSink?: (emulator: Emulator) => Promise<void>
  /** Loads what answers MCP clients. */
  readonly loadMcp?: () => Promise<McpEndpoint<Emulator>>
  /** Opens connections for webhooks, for as long as the emulator is open. */
  readonly connect?: () => { readonly send: Send; readonly close: () => Promise<void> }
  /** Where warnings go, besides the journal. */
  readonly warnings?: WarningOptions
  /** Called with each emulator that is created. */
  readonly created?: (emulator: Emulator) => void
}

/** What was checked before the emulator is created. */
interface CheckedStart {
  /** A world to continue. It replaces the option `snapshot`. */
  readonly saved?: SavedWorld | undefined
  /** It replaces the option `scenario`. */
  readonly scenario?: Scenario | undefined
}

/**
 * Makes the `createEmulator` of a runtime. This is the only place that puts an emulator together: engine, API,
 * control API and transports. The class of the runtime has the verbs of tools and of the runtime.
 */
export function compose<RuntimeOptions extends EmulatorOptions, Created extends Emulator>(
  runtime: Runtime<RuntimeOptions, Created>,
  checked: CheckedStart = {},
): (options?: RuntimeOptions) => Created {
  return (options = {} as RuntimeOptions) => {
    const known: Pick<Options<object>, 'check'> = runtime.options
    known.check(options)
    const storage = runtime.openStorage?.(options, runtime.checks)
    try {
      return create(runtime, options, { checked, storage })
    } catch (error) {
      storage?.close()
      throw error
    }
  }
}

function create<RuntimeOptions extends EmulatorOptions, Created extends Emulator>(
  runtime: Runtime<RuntimeOptions, Created>,
  options: RuntimeOptions,
  { checked, storage }: Pick<Sources, 'checked' | 'storage'>,
): Created {
  const { checks } = runtime
  const tokenizers = new Tokenizers(options.baseModels, runtime.readTokenizerFolder)
  const { readScenario } = runtime
  const start = startOf(options, { storage, checked, checks, tokenizers, readScenario })
  const connections = runtime.connect?.()
  const mode = options.clock ?? start.scenario.clock?.mode ?? runtime.clock ?? 'auto'
  const emulator = new runtime.Emulator({
    ...start,
    storage,
    clock: {
      mode,
      speed: options.speed ?? start.scenario.clock?.speed,
    },
    apiKeys: options.apiKeys,
    serveAnyModel: options.serveAnyModel,
    basePath: options.basePath,
    isolate: options.isolate,
    keepJobs: options.keepJobs,
    contract: options.contract,
    webhooks: configuredReceivers(options.webhooks ?? [], (input) => {
      return checks.loaded.webhooks(input, start.scenario)
    }),
    transport: new Transport({ send: options.send, pool: connections?.send }),
    tokenizers,
    openTrainingData: runtime.openTrainingData?.(options),
    openSink: runtime.openSink,
    checks,
    loadReporter,
    loadMcp: runtime.loadMcp,
    warnings: runtime.warnings,
    control: (created) => {
      const answer = runtime.control(created)
      return (request, host) => (isControlPath(request.path) ? answer(request, host) : undefined)
    },
    fetch: fetchOf,
    createWorld: (parts, ofKey) => new runtime.Emulator(parts, ofKey),
  })
  if (!start.saved) {
    const unused = keysWithoutEffect(start.scenario, options, mode)
    for (const text of unused) emulator.journal.note(text)
  }
  if (connections) emulator.onClose(connections.close)
  runtime.created?.(emulator)
  return emulator
}

type Start = Pick<EmulatorParts<Emulator>, 'scenario' | 'seed' | 'saved'>

interface Sources {
  readonly storage: WorldStorage | undefined
  readonly checked: CheckedStart
  readonly checks: ChecksSource
  readonly tokenizers: Tokenizers
  readonly readScenario: ((path: string) => Scenario) | undefined
}

/** The scenario and the seed, and the world to continue, if there is one. */
function startOf({ scenario, seed, snapshot }: EmulatorOptions, sources: Sources): Start {
  const { storage, checked, checks, tokenizers } = sources
  const usable = (start: Start): Start => {
    tokenizers.load(start.scenario)
    return start
  }
  const chosen =
    checked.scenario ?? (scenario === undefined ? undefined : scenarioOf(scenario, sources))
  const read = snapshot === undefined ? checked.saved : checks.loaded.snapshot(snapshot)
  const saved = worldToContinue({ storage, read })
  if (saved) return usable({ saved, ...continuationOf(saved, { scenario: chosen, seed }) })
  return usable({ scenario: chosen ?? builtInScenario(DEFAULT_SCENARIO), seed })
}

function scenarioOf(
  scenario: Exclude<EmulatorOptions['scenario'], undefined>,
  { checks, readScenario }: Sources,
): Scenario {
  const isFile = isUrl(scenario) || (typeof scenario === 'string' && namesFile(scenario))
  if (isFile && readScenario) return readScenario(String(scenario))
  if (isFile) {
    throw new ScenarioError(
      `The scenario "${String(scenario)}" is a file, and a browser reads no files. Pass the scenario itself, such as that of an imported JSON file, or the name of a built-in one.`,
    )
  }
  return typeof scenario === 'string' ? builtInScenario(scenario) : checks.loaded.scenario(scenario)
}

const loadReporter: EmulatorParts<Emulator>['loadReporter'] = async () => {
  const { reporter } = await import('../tools/report/reporter.js')
  return reporter
}

const fetchOf: EmulatorParts<Emulator>['fetch'] = (emulator) => {
  return createFetch(emulator.handle, (url) => emulator.hostOf(url), {
    closed: () => emulator.closed,
    receive: emulator.receive,
  })
}
