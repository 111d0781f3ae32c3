import {
  anything,
  aSecret,
  isObject,
  Options,
  required,
  webUrl,
  type Table,
} from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'
import { SeededRandom } from '../../base/random/random.js'
import type {
  AutomationRule,
  Scenario,
  ScenarioInput,
  WebhookParts,
  WebhookPartsInput,
  WebhookRule,
} from '../../service/scenario/scenario.js'
import { plainWebhook } from '../../service/scenario/plain-webhook.js'
import type { Journal } from '../../service/engine/journal.js'
import type { ReceivedDelivery } from '../sink/received-delivery.js'
import { defaultPayload } from './payload.js'
import type { HandOver } from './receiver-calls.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'

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
const receiverTable: Table<WebhookReceiver> = {
  url: required(webUrl),
  secret: aWebhookSecret,
  access_token: aSecret,
  name: anything,
  signature: anything,
  timeout: anything,
  retries: anything,
  adversary: anything,
}

export const receiverOptions = new Options<WebhookReceiver>('createEmulator', receiverTable)

export const addedReceiver = new Options<WebhookReceiver>('webhooks.add', receiverTable)

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
    return typeof each === 'string' ? { url: each } : { ...each, url: addressOf(each.url) }
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
const addressOf: (url: string | URL) => string = String

const OWN: ReadonlySet<string> = new Set(['url', 'secret', 'access_token'])

/** Whether it is a receiver, and not parts of a scenario. */
export function isReceiver(added: WebhookReceiver | WebhookPartsInput): added is WebhookReceiver {
  return isObject(added) && 'url' in added
}

/**
 * Returns the parts of a scenario for an added receiver. Without a name, it changes the one with its URL. Without a
 * secret, that one keeps its own, and for a new one a secret is drawn.
 *
 * @throws {OptionsError} When a setting of the receiver can't be used.
 */
export function partsOfReceiver(
  receiver: WebhookReceiver,
  { webhooks, secrets, random }: PresentReceivers,
): WebhookPartsInput {
  addedReceiver.check(receiver)
  const { url: address, secret: given, access_token, ...settings } = receiver
  const url = addressOf(address)
  const name =
    settings.name ?? webhooks.find((each) => each.url === url)?.name ?? freeName(webhooks)
  const before = webhooks.find((each) => each.name === name)?.secret
  const own = before === undefined ? undefined : secrets[before]
  const secret = given ?? own ?? random.token(24, 'webhook secret', name)
  const others = webhooks.filter((each) => each.name !== name)
  const parts = everyEvent({ url, secret, access_token }, name, others)
  const unnamed = Object.fromEntries(Object.keys(plainWebhook).map((key) => [key, undefined]))
  const webhook = { ...parts.webhooks[0]!, ...unnamed, ...settings }
  return { ...parts, webhooks: [webhook] }
}

interface PresentReceivers extends Pick<WebhookParts, 'webhooks' | 'secrets'> {
  readonly random: SeededRandom
}

function freeName(others: readonly Pick<WebhookRule, 'name'>[], wanted = 'receiver'): string {
  return firstFree(wanted, '-', (name) => others.some((each) => each.name === name))
}

/** The wanted name, or the first one with a number that is free: `receiver-2`. */
function firstFree(wanted: string, mark: string, isTaken: (name: string) => boolean): string {
  let name = wanted
  for (let count = 2; isTaken(name); count++) name = wanted + mark + count
  return name
}

interface ResolvedReceiver extends ConfiguredReceiver {
  readonly secret: string
  /** Whether the secret was drawn, so that the user does not know it yet. */
  readonly generated: boolean
  /**
   * Whether the options have no secret for it, so that those of the scenario stay.
   *
   * @internal
   */
  readonly keepsSecrets: boolean
}

function withSecrets(
  receivers: readonly ConfiguredReceiver[],
  seed: number,
  scenario?: Scenario,
): ResolvedReceiver[] {
  const random = new SeededRandom(seed)
  const unaddressed = scenario?.webhooks.filter(({ url }) => url === undefined) ?? []
  const named = unaddressed.find((webhook) => hasSecret(webhook, scenario!))
  const own = named && scenario!.secrets[named.secret!]
  return receivers.map(({ secret, ...rest }, index) => ({
    ...rest,
    secret: secret ?? own ?? random.token(24, 'webhook secret', index),
    generated: secret === undefined && own === undefined,
    keepsSecrets: secret === undefined,
  }))
}

/** Whether the scenario gives a webhook its secret. */
function hasSecret({ secret }: WebhookRule, { secrets }: Scenario): boolean {
  return secret !== undefined && Object.hasOwn(secrets, secret)
}

/**
 * Returns the scenario with its webhooks that have no URL sent to these receivers. If every webhook has
 * a URL, each receiver gets every event of jobs and artifacts.
 */
function withReceivers(scenario: Scenario, receivers: readonly ResolvedReceiver[]): Scenario {
  if (receivers.length === 0) return scenario
  const withoutUrl = scenario.webhooks.filter(({ url }) => url === undefined)
  const withUrl = scenario.webhooks.filter((webhook) => !withoutUrl.includes(webhook))
  const names = withUrl.map(({ name }) => name)
  const named = receivers.flatMap(({ settings }) => settings?.name ?? [])
  const added: DefaultWebhooks[] = []
  for (const [index, receiver] of receivers.entries()) {
    const suffix = index === 0 ? '' : `-${index + 1}`
    const others = [...withUrl, ...added.flatMap(({ webhooks }) => webhooks)]
    const taken = [...others, ...named.map((name) => ({ name }))]
    added.push(
      withoutUrl.length === 0
        ? everyEvent(
            receiver,
            receiver.settings?.name ?? freeName(taken, `receiver${suffix}`),
            others,
          )
        : addressed(scenario, withoutUrl, { receiver, suffix }),
    )
  }
  return {
    ...scenario,
    secrets: Object.fromEntries(
      [scenario, ...added].flatMap(({ secrets }) => Object.entries(secrets)),
    ),
    webhooks: [...withUrl, ...added.flatMap(({ webhooks }) => webhooks)],
    automations: [
      ...scenario.automations.filter(({ webhook }) => names.includes(webhook)),
      ...added.flatMap(({ automations }) => automations),
    ],
  }
}

/** One webhook with its automations and its secret, written as in a checked scenario. */
type DefaultWebhooks = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>

/**
 * Makes one webhook that receives every event of jobs and artifacts, as parts of a scenario or for
 * `emulator.webhooks.add`.
 *
 * @param receiver The URL to send to, and the secret to sign with.
 * @param name The name of the webhook. Default: `receiver`.
 * @throws {OptionsError} When the URL or the secret can't be used.
 * @example
 * emulator.webhooks.add(defaultWebhooks({ url: 'http://127.0.0.1:3000/hook', secret: 's3cret' }))
 */
export function defaultWebhooks(
  receiver: { readonly url: string; readonly secret: string },
  name?: string,
): DefaultWebhooks {
  defaultReceiver.check(receiver)
  return everyEvent({ ...receiver, url: addressOf(receiver.url) }, name)
}

export const defaultReceiver = new Options<{ url: string; secret: string }>('defaultWebhooks', {
  url: receiverTable.url,
  secret: required(aWebhookSecret),
})

type ReceiverSecrets = Pick<ResolvedReceiver, 'secret' | 'access_token'>

/** The names and the values of the secrets of a receiver. */
function secretsOf({ secret, access_token: token }: ReceiverSecrets, prefix: string) {
  const [secretName, tokenName] = [`${prefix}_SECRET`, `${prefix}_TOKEN`]
  return {
    secrets: { [secretName]: secret, ...(token !== undefined && { [tokenName]: token }) },
    names: { secret: secretName, ...(token !== undefined && { access_token: tokenName }) },
  }
}

function everyEvent(
  receiver: ReceiverSecrets & Pick<ConfiguredReceiver, 'url' | 'settings'>,
  name = 'receiver',
  others: readonly WebhookRule[] = [],
): DefaultWebhooks {
  // Names of webhooks that differ in their signs alone have secrets of their own.
  const taken = new Set(others.flatMap((each) => [each.secret, each.access_token]))
  const prefix = firstFree(name.toUpperCase().replaceAll(/\W/g, '_'), '_', (each) => {
    return taken.has(`${each}_SECRET`) || taken.has(`${each}_TOKEN`)
  })
  const { secrets, names } = secretsOf(receiver, prefix)
  const rule = { webhook: name, scope: {}, payload: defaultPayload }
  const runRule = { ...rule, run: {}, once_per_run_per_day: false }
  const automations: AutomationRule[] = [
    { ...rule, event: 'CREATE_ARTIFACT', name: `${name}: version created` },
    { ...rule, event: 'ADD_ARTIFACT_ALIAS', name: `${name}: alias added` },
    { ...rule, event: 'ADD_ARTIFACT_TAG', name: `${name}: tag added` },
    { ...rule, event: 'LINK_ARTIFACT', name: `${name}: version linked` },
    { ...runRule, event: 'RUN_STATE', name: `${name}: run state`, states: [...RUN_STATES] },
  ]
  const { settings, url } = receiver
  const webhook: WebhookRule = { ...plainWebhook, ...settings, ...names, name, url }
  return { secrets, webhooks: [webhook], automations }
}

/**
 * Returns the webhooks that have no URL with that of the receiver, and with its secret, unless the scenario gives one.
 * One without automations gets every event.
 */
function addressed(
  scenario: Scenario,
  withoutUrl: readonly WebhookRule[],
  { receiver, suffix }: { receiver: ResolvedReceiver; suffix: string },
): DefaultWebhooks {
  const { settings, url } = receiver
  const secrets = secretsOf(receiver, `RECEIVER${suffix.replaceAll('-', '_')}`)
  const renamed = (name: string): string => {
    if (settings?.name === undefined) return `${name}${suffix}`
    return withoutUrl.length === 1 ? settings.name : `${settings.name}: ${name}`
  }
  const names = withoutUrl.map(({ name }) => name)
  const chosen = scenario.automations.filter(({ webhook }) => names.includes(webhook))
  const others = names.filter((name) => !chosen.some(({ webhook }) => webhook === name))
  const automations = [
    ...chosen,
    ...others.flatMap((name) => everyEvent(receiver, name).automations),
  ]
  return {
    secrets: secrets.secrets,
    webhooks: withoutUrl.map((webhook) => ({
      ...webhook,
      ...settings,
      ...secrets.names,
      ...(receiver.keepsSecrets && hasSecret(webhook, scenario) && { secret: webhook.secret }),
      name: renamed(webhook.name),
      url,
    })),
    automations: automations.map((rule) => ({
      ...rule,
      name: `${rule.name}${suffix}`,
      webhook: renamed(rule.webhook),
    })),
  }
}

/** The parts of a webhook sink that its emulator uses. */
export interface AttachedSink {
  /** The URL at which the emulator reaches it. */
  readonly url: string
  /** What it received, oldest first. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** How many responses it delays, on the emulator's clock. */
  readonly holding: number
  /**
   * Forgets what a world sent that is reset now. A sink of another process does not know its senders.
   *
   * @internal
   */
  readonly forgetWorld?: (journal: Journal) => void
}

/** The receivers that have no webhook in the scenario, and the sink that may be one of them. */
export class Receivers {
  sink: AttachedSink | undefined
  /** All receivers; the sink comes last. */
  all: readonly ResolvedReceiver[]
  /** How the sink is reached, if it is in this process. */
  #handOver: HandOver | undefined
  readonly #configured: readonly ConfiguredReceiver[]
  #addressed: readonly ConfiguredReceiver[]
  readonly #seed: number

  constructor(configured: readonly ConfiguredReceiver[] = [], seed: number) {
    this.#configured = configured
    this.#addressed = configured
    this.#seed = seed
    this.all = withSecrets(configured, seed)
  }

  attach(sink: AttachedSink, handOver: HandOver | undefined): void {
    this.sink = sink
    this.#handOver = handOver
    this.#addressed = [...this.#configured, { url: sink.url }]
  }

  /** Returns how the receiver with that URL is reached in this process. Undefined: over the network. */
  readonly inside = (url: string): HandOver | undefined => {
    const { sink } = this
    if (!sink || !this.#handOver) return undefined
    // The sink may open a port, or close it: its URL is read each time.
    return new URL(url).origin === new URL(sink.url).origin ? this.#handOver : undefined
  }

  /** Returns the scenario with its webhooks that have no URL sent to these receivers. */
  completed(scenario: Scenario): Scenario {
    this.all = withSecrets(this.#addressed, this.#seed, scenario)
    return withReceivers(scenario, this.all)
  }
}
