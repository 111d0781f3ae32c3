import type { ApiError } from '../contract/errors.js'
import type { Engine } from '../engine/engine.js'
import type { JournalEntry } from '../engine/journal.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import type { FaultRule, Scenario, WebhookPartsInput } from '../scenario/scenario.js'
import type { ReceivedDelivery } from '../sink/received-delivery.js'
import type { Webhooks } from '../webhooks/webhooks.js'
import type { ClockMode } from '../clock/clock.js'

/** What the control API acts upon, as far as it needs it: the composition root, seen from below. */
export interface Controlled {
  /** The world as it is now; a reset makes another. */
  readonly engine: Engine
  readonly version: string
  readonly seed: number
  readonly basePath: string
  readonly trainingUrl: string
  readonly inferenceUrl: string
  readonly access: ControlAccess
  /** Whether each API key has a world of its own; this is then one of them, or that of no key. */
  readonly isolate: 'api-key' | undefined
  /** What leaves: webhooks, automations and their deliveries. */
  readonly webhooks: Webhooks
  /** The webhook sink that runs beside it, where one does. */
  readonly sink: RecordingSink | undefined
  readonly evidence: Evidence
  /** Aborted when the emulator stops; streams end by it. */
  readonly stopping: AbortSignal
  useClock: (mode: ClockMode, options?: { speed?: number }) => void
  settle: (promise?: undefined, options?: SettleBounds) => Promise<SettledReport>
  follow: (scenario: Scenario) => void
  reset: (scenario?: Scenario) => void
  /** All that is there, and is to come. Raises `SnapshotError` where it is of several worlds. */
  snapshot: (options: { secrets: boolean }) => Promise<object>
  /** Goes on with a world that was kept. Raises `SnapshotError`. */
  goOnWith: (saved: SavedWorld) => void
  /** The world of one API key, made where it is not there. Raises `NotIsolatedError`. */
  worldOf: (key: string) => Controlled
  /** What needs the schema library or a YAML writer, loaded when it is asked for. */
  readonly workshop: Workshop
}

/** What is read from clients, or written for them, with libraries too heavy for every start. */
export interface Workshop {
  scenarios: () => Promise<readonly Scenario[]>
  scenarioNamed: (name: string) => Promise<Scenario | ApiError>
  readScenario: (input: unknown) => Promise<Scenario | ApiError>
  yamlOf: (scenario: Scenario) => Promise<string>
  readFault: (input: unknown) => Promise<FaultRule | ApiError>
  /** Checks all of a snapshot. Rejects with a `SnapshotError` that names what is wrong. */
  readSnapshot: (input: unknown) => Promise<SavedWorld>
  /** Checks webhooks that join those that are there. */
  readWebhooks: (input: unknown, present: WebhookParts) => Promise<WebhookParts | ApiError>
}

type WebhookParts = Pick<Scenario, keyof WebhookPartsInput>

/** A sink, as far as its records are looked at. */
export interface RecordingSink {
  readonly deliveries: readonly ReceivedDelivery[]
}

/** What verification makes of the journal, in words. */
export interface Evidence {
  pending: () => { readonly pending: readonly PendingThing[]; readonly text: string }
  /** Of these entries, or of all. */
  trace: (entries?: readonly JournalEntry[]) => string
  /** The request that is nearest to what is meant, and how it differs. */
  nearest: (meant: MeantRequest) => Promise<string>
}

interface PendingThing {
  readonly what: string
  readonly which: string
  readonly why: string
}

export interface MeantRequest {
  operation?: string
  method?: string
  path?: { asymmetricMatch: (path: unknown) => boolean; toAsymmetricMatcher: () => string }
  status?: number
}

/** Who may use the control API. */
export interface ControlAccess {
  /** Asked of every call that changes something, where there is one. */
  token?: string | undefined
  /** Host names under which it may be called, besides loopback ones. */
  allowedHosts?: readonly string[] | undefined
  /** Whether it may be called by any IP address: the port is bound beyond loopback. */
  beyondLoopback?: boolean | undefined
}

interface SettleBounds {
  within?: string | number
  most?: number
}

interface SettledReport {
  readonly from: string
  readonly to: string
  readonly happened: number
  toString: () => string
}
