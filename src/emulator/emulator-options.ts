import { clockMode, clockSpeed, type ClockMode } from '../base/clock/clock.js'
import {
  anyFunction,
  aFlag,
  either,
  aSecret,
  aSeed,
  isObject,
  isPromise,
  valueKind,
  listOf,
  oneOf,
  Options,
  parts,
  webUrl,
  wholeNumber,
  type Kind,
} from '../base/text/options.js'
import { aContract, type ContractVersion } from '../service/contract/versions.js'
import type { BuiltInScenarioName } from '../service/scenario/built-in-scenarios.js'
import type { ScenarioInput } from '../service/scenario/scenario.js'
import { receiverOptions, type WebhookReceiver } from '../webhooks/sending/webhook-receiver.js'
import type { Send } from '../webhooks/sending/transport.js'
import { baseModelKind, type EmulatorBaseModels } from './base-model-options.js'

/** The name of a built-in scenario, or a scenario of your own. */
export type WhichScenario = BuiltInScenarioName | (string & {}) | ScenarioInput

const scenarioKind = valueKind('the name or the path of a scenario, or a scenario', (value) => {
  return typeof value === 'string' || isObject(value)
})

const snapshotKind = valueKind(
  'what emulator.snapshot() resolves to, or the parsed JSON of an exported file',
  (value) => typeof value === 'object' && !isPromise(value),
)

const pathKind = valueKind(
  'a path of letters, digits and . _ ~ - such as "/api/training"',
  (value) => {
    return (
      typeof value === 'string' && /^[\w.~/-]*$/.test(value) && !/(?:^|\/)\.\.?(?:\/|$)/.test(value)
    )
  },
)

const receiverKind: Kind = {
  check(value, place) {
    const kind = isObject(value) ? parts(receiverOptions) : webUrl
    kind.check(value, place)
  },
}

/** The options of `createEmulator` on every runtime. */
export interface EmulatorOptions {
  /**
   * The name of a built-in scenario, or a scenario of your own. In Node also the path of a YAML or JSON file, such as
   * `./mine.yaml`, or its URL. Default: `happy-path`.
   */
  scenario?: WhichScenario | URL | undefined
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
  /**
   * Base models beside those of the scenario: ids, or objects with a `tokenizer`, such as
   * `{ id: 'org/model', tokenizer: './tokenizers/model' }`. One with an id of the scenario replaces that one.
   * `documented` adds those of the documentation of the service, with their context windows.
   */
  baseModels?: EmulatorBaseModels | undefined
  /** A path before `/v1`, such as `/api/training`. Default: none. */
  basePath?: string | undefined
  /**
   * `api-key` gives each key a world of its own, so that tests that run side by side can share one
   * emulator. The 1,000 most recently used worlds are kept. Default: one world for all keys.
   */
  isolate?: 'api-key' | undefined
  /**
   * How many jobs are kept. With more, the oldest that are over are forgotten, and requests for them are answered with
   * a 404. Unfinished jobs and the latest job of each model stay. Default: 20,000.
   */
  keepJobs?: number | undefined
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

export const emulatorOptions = new Options<EmulatorOptions>('createEmulator', {
  scenario: scenarioKind,
  seed: aSeed,
  snapshot: snapshotKind,
  clock: clockMode,
  speed: clockSpeed,
  apiKeys: listOf(aSecret),
  serveAnyModel: aFlag,
  baseModels: either((value) => value === 'documented', listOf(baseModelKind)),
  basePath: pathKind,
  isolate: oneOf('api-key'),
  keepJobs: wholeNumber({ least: 1 }),
  contract: aContract,
  webhooks: listOf(receiverKind),
  send: anyFunction,
})
