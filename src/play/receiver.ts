import type { Scenario } from '../scenario/scenario.js'
import type { Send } from '../webhooks/transport.js'
import type { WebhookReceiver } from '../webhooks/receivers.js'

/** The receiver in a play, which takes everything: when it is down, the scenario says so. */
export const receive: Send = () => Promise.resolve({ status: 200, body: '' })

/** Where a scenario's webhooks go that wait for an address. */
export function receiversFor({ webhooks }: Scenario): WebhookReceiver[] {
  const waiting = webhooks.some(({ url }) => url === undefined)
  return waiting ? [{ url: 'http://receiver.svtrain.test/hook' }] : []
}
