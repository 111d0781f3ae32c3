import { firstFree } from '../../base/text/first-free.js'
import { Options, required } from '../../base/text/options.js'
import { aWebhookSecret } from '../../base/text/webhook-secret.js'
import { plainWebhook } from '../../service/scenario/plain-webhook.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'
import type { AutomationRule, Scenario, WebhookRule } from '../../service/scenario/scenario.js'
import { defaultPayload } from './payload.js'
import { addressOf, receiverTable, type ConfiguredReceiver } from './webhook-receiver.js'

/** One webhook with its automations and its secret, written as in a checked scenario. */
export type DefaultWebhooks = Pick<Scenario, 'secrets' | 'webhooks' | 'automations'>

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

interface ReceiverSecrets extends Pick<ConfiguredReceiver, 'access_token'> {
  readonly secret: string
}

/** The names and the values of the secrets of a receiver. */
export function secretsOf(
  { secret, access_token: token }: ReceiverSecrets,
  prefix: string,
): { secrets: Scenario['secrets']; names: Pick<WebhookRule, 'secret' | 'access_token'> } {
  const [secretName, tokenName] = [`${prefix}_SECRET`, `${prefix}_TOKEN`]
  return {
    secrets: { [secretName]: secret, ...(token !== undefined && { [tokenName]: token }) },
    names: { secret: secretName, ...(token !== undefined && { access_token: tokenName }) },
  }
}

export function everyEvent(
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

export function freeName(
  others: readonly Pick<WebhookRule, 'name'>[],
  wanted = 'receiver',
): string {
  return firstFree(wanted, '-', (name) => others.some((each) => each.name === name))
}
