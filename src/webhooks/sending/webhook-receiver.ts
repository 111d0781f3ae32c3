import { definedIn } from '../../base/text/defined-in.js'
import {
  anything,
  aSecret,
  inHeader,
  Options,
  required,
  webUrl,
  type Table,
} from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'
import type {
  Scenario,
  ScenarioInput,
  WebhookPartsInput,
  WebhookRule,
} from '../../service/scenario/scenario.js'

type WebhookInput = NonNullable<ScenarioInput['webhooks']>[number]

/**
 * A receiver of every event, or of the scenario's webhooks without a URL. It takes what a scenario says about a webhook,
 * with the values of secrets.
 */
export interface WebhookReceiver {
  /** An http or https URL. */
  readonly url: string
  /** The secret that signs its deliveries. Default: that of the scenario's webhook, or drawn from the seed. */
  readonly secret?: string | undefined
  /** What is sent as `Authorization: Bearer`. Default: none. */
  readonly access_token?: string | undefined
  /** The name of the webhook. Default: `receiver`, or that of the scenario. */
  readonly name?: string
  /** The form of the signature. */
  readonly signature?: WebhookInput['signature']
  /** Limit of an attempt. */
  readonly timeout?: string | undefined
  /** Times before further attempts. */
  readonly retries?: string[] | undefined
  /** What goes wrong with its deliveries. */
  readonly adversary?: WebhookInput['adversary']
}

/** The schema of scenarios checks the values of the settings. */
export const receiverTable: Table<WebhookReceiver> = {
  url: required(webUrl),
  secret: aWebhookSecret,
  access_token: inHeader(aSecret),
  name: anything,
  signature: anything,
  timeout: anything,
  retries: anything,
  adversary: anything,
}

export const receiverOptions = new Options<WebhookReceiver>('createEmulator', receiverTable)

/** A receiver of the options, with its settings as the schema of scenarios returned them. */
export interface ConfiguredReceiver extends Pick<
  WebhookReceiver,
  'url' | 'secret' | 'access_token'
> {
  readonly settings?: Partial<WebhookRule> | undefined
}

/**
 * Checks the receivers of the options. Only one with settings needs the schema.
 *
 * @throws {ScenarioError} When a setting cannot be used.
 */
export function configuredReceivers(
  receivers: readonly (string | WebhookReceiver)[],
  check: (input: WebhookPartsInput) => Pick<Scenario, 'webhooks'>,
): ConfiguredReceiver[] {
  const written: WebhookReceiver[] = receivers.map((each) => {
    return typeof each === 'string'
      ? { url: each }
      : definedIn({ ...each, url: addressOf(each.url) })
  })
  const inputs = written.map(
    ({ url, secret: _secret, access_token: _token, ...settings }, index) => {
      return { name: `receiver-${index + 1}`, url: new URL(url).href, ...settings }
    },
  )
  const hasSettings = written.some((each) => Object.keys(each).some((key) => !OWN.has(key)))
  const checked = hasSettings ? check({ webhooks: inputs }).webhooks : []
  return written.map(({ url, secret, access_token }, index) => {
    const given = Object.entries(checked[index] ?? {}).filter(([key]) => key in written[index]!)
    return { url, secret, access_token, settings: Object.fromEntries(given) }
  })
}

/** A program may have its address as a `URL`, which the check of the options takes. */
export const addressOf: (url: string | URL) => string = String

const OWN: ReadonlySet<string> = new Set(['url', 'secret', 'access_token'])
