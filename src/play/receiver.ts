import type { Scenario } from '../scenario/scenario.js'
import type { Send } from '../webhooks/send.js'
import type { WebhookTarget } from '../webhooks/targets.js'

/** The receiver in a play, which takes everything: when it is down, the scenario says so. */
export const receive: Send = () => Promise.resolve({ status: 200, body: '' })

/** Where a scenario's webhooks go that wait for an address. */
export function receiversFor({ webhooks }: Scenario): WebhookTarget[] {
  const waiting = webhooks.some(({ url }) => url === undefined)
  return waiting ? [{ url: 'http://receiver.svtrain.test/hook' }] : []
}
