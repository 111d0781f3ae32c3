import type { SeededRandom } from '../../base/random/random.js'
import { definedIn } from '../../base/text/defined-in.js'
import { nearest } from '../../base/text/nearest.js'
import { isObject, Options } from '../../base/text/options.js'
import { plainWebhook } from '../../service/scenario/plain-webhook.js'
import type { WebhookParts, WebhookPartsInput } from '../../service/scenario/scenario.js'
import { everyEvent, freeName } from './default-webhooks.js'
import { addressOf, receiverTable, type WebhookReceiver } from './webhook-receiver.js'

export const addedReceiver = new Options<WebhookReceiver>('webhooks.add', receiverTable)

/** The keys of parts of a scenario. */
const PARTS: (keyof WebhookPartsInput)[] = ['secrets', 'webhooks', 'automations']

/** Whether it is a receiver, and not parts of a scenario. */
export function isReceiver(added: WebhookReceiver | WebhookPartsInput): added is WebhookReceiver {
  if (!isObject(added)) return false
  const settings = Object.keys(receiverTable)
  if (settings.some((key) => key in added)) return true
  // Of misspelled keys, the nearest decides what was meant.
  const known = [...settings, ...PARTS]
  return Object.keys(added).some((key) => settings.includes(nearest(key, known) ?? ''))
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
  const { url: address, secret: given, access_token, ...settings } = definedIn(receiver)
  const url = addressOf(address)
  const { href } = new URL(url)
  const present = webhooks.find((each) => each.url !== undefined && new URL(each.url).href === href)
  const name = settings.name ?? present?.name ?? freeName(webhooks)
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
