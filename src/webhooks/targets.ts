import type { AutomationRule, Scenario, WebhookRule } from '../scenario/scenario.js'
import { Options, required, aSecret, webUrl } from '../text/options.js'
import { SeededRandom } from '../random/random.js'
import { defaultPayload } from './payload.js'
import { SIGNATURE_HEADER } from '../signature/signature.js'

/** Where deliveries are to go, for who does not want to write webhooks and automations. */
export interface WebhookTarget {
  /** Of the receiver; http or https. */
  readonly url: string
  /** Signs what is sent. Default: drawn from the seed. */
  readonly secret?: string | undefined
}

export const webhookTarget = new Options<WebhookTarget>('defaultWebhooks', {
  url: required(webUrl),
  secret: aSecret,
})

export interface ResolvedTarget {
  readonly url: string
  readonly secret: string
  /** Whether we made the secret, so that whoever gave the URL has yet to hear of it. */
  readonly generated: boolean
}

export function resolveTargets(targets: readonly WebhookTarget[], seed: number): ResolvedTarget[] {
  const random = new SeededRandom(seed)
  return targets.map(({ url, secret }, index) => ({
    url,
    secret: secret ?? random.token(24, 'webhook secret', index),
    generated: secret === undefined,
  }))
}

/**
 * The scenario with its webhooks that have no URL sent to these targets. Where it has none of the
 * kind, each target hears of every event of jobs and artifacts.
 */
export function withTargets(scenario: Scenario, targets: readonly ResolvedTarget[]): Scenario {
  if (targets.length === 0) return scenario
  const open = scenario.webhooks.filter(({ url }) => url === undefined)
  const added = targets.map((target, index) => {
    const suffix = index === 0 ? '' : `-${index + 1}`
    return open.length === 0
      ? everyEvent(target, `receiver${suffix}`)
      : addressed(scenario, open, { target, suffix })
  })
  const settled = scenario.webhooks.filter((webhook) => !open.includes(webhook))
  const names = settled.map(({ name }) => name)
  return {
    ...scenario,
    secrets: Object.assign(
      { ...scenario.secrets },
      ...added.map(({ secrets }) => secrets),
    ) as Record<string, string>,
    webhooks: [...settled, ...added.flatMap(({ webhooks }) => webhooks)],
    automations: [
      ...scenario.automations.filter(({ webhook }) => names.includes(webhook)),
      ...added.flatMap(({ automations }) => automations),
    ],
  }
}

type WebhookParts = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>

/**
 * One webhook that receives every event of jobs and artifacts, signed with the secret: parts for a
 * scenario, or for `emulator.webhooks.add`. Throws `OptionsError`.
 */
export function defaultWebhooks(target: Required<WebhookTarget>, name?: string): WebhookParts {
  webhookTarget.check(target)
  return everyEvent(target, name)
}

function everyEvent(
  { url, secret: value }: Required<WebhookTarget>,
  name = 'receiver',
): WebhookParts {
  const secretName = `${name.toUpperCase().replaceAll(/\W/g, '_')}_SECRET`
  const rule = { webhook: name, scope: {}, payload: defaultPayload }
  const ofRun = { ...rule, run: {}, once_per_run_per_day: false }
  const automations: AutomationRule[] = [
    { ...rule, event: 'CREATE_ARTIFACT', name: `${name}: version created` },
    { ...rule, event: 'ADD_ARTIFACT_ALIAS', name: `${name}: alias added` },
    { ...rule, event: 'ADD_ARTIFACT_TAG', name: `${name}: tag added` },
    { ...rule, event: 'LINK_ARTIFACT', name: `${name}: version linked` },
    {
      ...ofRun,
      event: 'RUN_STATE',
      name: `${name}: run state`,
      states: ['running', 'finished', 'failed'],
    },
  ]
  const webhook: WebhookRule = {
    name,
    url,
    secret: secretName,
    signature: {
      header: SIGNATURE_HEADER,
      encoding: 'hex',
      prefix: '',
      standard: false,
      timestamps: 'wall',
    },
    timeout: '10s',
    retries: [],
    adversary: [],
  }
  return { secrets: { [secretName]: value! }, webhooks: [webhook], automations }
}

/** The webhooks of a scenario that have no URL, with one, and with the secret that its receiver knows. */
function addressed(
  { automations }: Scenario,
  open: readonly WebhookRule[],
  { target, suffix }: { target: ResolvedTarget; suffix: string },
): WebhookParts {
  const secretName = `RECEIVER${suffix.replaceAll('-', '_')}_SECRET`
  const names = open.map(({ name }) => name)
  return {
    secrets: { [secretName]: target.secret },
    webhooks: open.map((webhook) => ({
      ...webhook,
      secret: secretName,
      name: `${webhook.name}${suffix}`,
      url: target.url,
    })),
    automations: automations
      .filter(({ webhook }) => names.includes(webhook))
      .map((rule) => ({
        ...rule,
        name: `${rule.name}${suffix}`,
        webhook: `${rule.webhook}${suffix}`,
      })),
  }
}
