import type { Scenario, WebhookPartsInput, WebhookParts } from '../scenario/scenario.js'
import { Unavailable, type OpenTrainingData } from '../engine/jobs/training-data.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import type { WorldStorage } from './world-keeper.js'
import type { Transport } from '../webhooks/transport.js'
import type { WebhookReceiver } from '../webhooks/receivers.js'
import type { WebhooksOptions } from '../webhooks/webhooks.js'
import type { ClockOptions } from '../clock/clock.js'

/**
 * The key that is offered to clients if any key is accepted. Its form is that of keys for private
 * servers: a prefix, a dash, and 40 letters or digits. Some clients refuse shorter keys.
 */
export const LOCAL_API_KEY = 'svtrain-local00000000000000000000000000000000000'

/** `World` is what it makes for each API key. */
export interface CoreOptions<World> {
  scenario: Scenario
  /** The scenario's own, or 1, where it is left out. */
  seed?: number | undefined
  clock: ClockOptions
  /** Keys that are accepted beside those of the scenario; with any, only listed keys are. */
  apiKeys?: readonly string[] | undefined
  /** Such as `/api/training`; a slash at its end is dropped. */
  basePath?: string | undefined
  /** What was kept of a world, to go on with; its seed is the one that was given, or none was. */
  saved?: SavedWorld | undefined
  /** Where the world is written down as it changes. */
  storage?: WorldStorage | undefined
  /** Opens files and web addresses named by SFT jobs; without it, only artifacts are accepted. */
  openTrainingData?: OpenTrainingData | undefined
  /**
   * Where the scenario's webhooks without a URL send to; where it has none of the kind, each is told
   * of every event of jobs and artifacts.
   */
  webhooks?: readonly WebhookReceiver[] | undefined
  /** How deliveries leave. Default: the fetch that is there at that moment. */
  outgoing?: Transport | undefined
  /** Checks what is added to the webhooks in code; without it, it must be complete. */
  checkWebhooks?: WebhooksOptions['check'] | undefined
  /** Makes the world of one API key, where each has its own; without it all keys share one. */
  createWorld?: ((part: WorldPart) => World) | undefined
  /** What it shares with the emulator that it is a part of. */
  part?: WorldPart | undefined
}

/** What an emulator was created with, and what a reset without a scenario returns to. */
export interface Initial {
  readonly scenario: Scenario
  readonly seed: number
}

/** What the world of one API key has of the emulator that it is a part of. */
export interface WorldPart {
  readonly key: string
  readonly scenario: Scenario
  readonly seed: number
  readonly initial: Initial
  readonly outgoing: Transport
}

/** Webhooks that are added in code, where nobody checks them. */
export function asGiven({
  secrets = {},
  webhooks = [],
  automations = [],
}: WebhookPartsInput): WebhookParts {
  return { secrets, webhooks, automations } as WebhookParts
}

/** Where the environment has no files. */
export const refuseFiles: OpenTrainingData = (url) =>
  Promise.resolve(new Unavailable(`${url} cannot be opened in this environment`))
