import type { ClockOptions } from '../base/clock/clock.js'
import type { ApiRequest, Host, Outcome } from '../service/contract/exchange.js'
import type { OpenTrainingData } from '../service/engine/jobs/training-data.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import type { WarningOptions } from '../service/engine/warnings.js'
import type { Scenario } from '../service/scenario/scenario.js'
import type { ConfiguredReceiver } from '../webhooks/sending/webhook-receiver.js'
import type { Transport } from '../webhooks/sending/transport.js'
import type { ChecksSource } from './checks.js'
import type { EmulatorOptions } from './emulator-options.js'
import type { Har } from './har.js'
import type { HarOptions, ReportOptions } from './report-options.js'
import type { Tokenizers } from './tokenizers.js'
import type { WorldStorage } from './world-keeper.js'

/** The options that an emulator reads as its user gives them. */
type OwnOptions = 'apiKeys' | 'serveAnyModel' | 'basePath' | 'isolate' | 'contract' | 'keepJobs'

/** The parts of an emulator. `compose` puts them together. */
export interface EmulatorParts<Emulator> extends Pick<EmulatorOptions, OwnOptions> {
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
  readonly loadReporter: () => Promise<Reporter<Emulator>>
  /** Loads what answers MCP clients. Default: the runtime has none. */
  readonly loadMcp?: (() => Promise<McpEndpoint<Emulator>>) | undefined
  /** Where warnings go, besides the journal. */
  readonly warnings?: WarningOptions | undefined
  /** Makes the control API of an emulator. Its handler answers `undefined` for any other path. */
  readonly control: (emulator: Emulator) => ControlHandler
  readonly fetch: (emulator: Emulator) => typeof globalThis.fetch
  /** Creates the world of one API key: an emulator of the same class. */
  readonly createWorld: (parts: EmulatorParts<Emulator>, ofKey: WorldOfKey<Emulator>) => Emulator
}

/** How the world of one API key differs from the emulator that it belongs to. */
export interface WorldOfKey<Emulator> {
  readonly key: string
  readonly name: string
  readonly parent: Emulator
  readonly initial: Initial
}

/** What an emulator was created with. A reset without a scenario returns to it. */
export interface Initial {
  readonly scenario: Scenario
  readonly seed: number
}

/** Writes what happened in an emulator, to share it. */
export interface Reporter<Emulator> {
  /** Writes a page. Its options were checked. */
  readonly report: (emulator: Emulator, options: ReportOptions) => Promise<string>
  readonly har: (emulator: Emulator, options: HarOptions) => Har
  /** What the page may load, as the header `Content-Security-Policy`. */
  readonly policy: string
}

/** Answers MCP clients, such as coding assistants. */
export interface McpEndpoint<Emulator> {
  /** Answers a request whose body is a message of MCP. */
  readonly answer: (emulator: Emulator, request: ApiRequest) => Promise<Outcome>
}

/** The control API of one emulator. Undefined: the path is not one of its. */
export type ControlHandler = (
  request: ApiRequest,
  host: Host,
) => Outcome | Promise<Outcome> | undefined
