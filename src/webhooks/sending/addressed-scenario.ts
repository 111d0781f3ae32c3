import { SeededRandom } from '../../base/random/random.js'
import type { Scenario, WebhookRule } from '../../service/scenario/scenario.js'
import { everyEvent, freeName, secretsOf, type DefaultWebhooks } from './default-webhooks.js'
import type { ConfiguredReceiver } from './webhook-receiver.js'

export interface ResolvedReceiver extends ConfiguredReceiver {
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

export function withSecrets(
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
export function withReceivers(
  scenario: Scenario,
  receivers: readonly ResolvedReceiver[],
): Scenario {
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
