import { counted } from '../../base/text/counted.js'
import { isObject, Options, wholeNumber } from '../../base/text/options.js'
import {
  checkMatch,
  matchesDelivery,
  nearestDelivery,
  type DeliveryMatch,
} from '../../webhooks/sink/match.js'
import { Webhooks } from '../../webhooks/sending/webhooks.js'
import type { ReceivedDelivery } from '../../webhooks/sink/received-delivery.js'
import { shown } from '../../base/text/shown.js'
import { notFor, type Verdict } from './verdict.js'

/** A webhook sink, or deliveries of a sink. */
export type Received =
  | { readonly deliveries: readonly ReceivedDelivery[] }
  | readonly ReceivedDelivery[]

/** The options of `toHaveReceivedWebhook` and `assertReceivedWebhook`. */
export interface DeliveryCount {
  /** The exact number of deliveries. Default: one or more. */
  count?: number
}

export const deliveryCount = new Options<DeliveryCount>('toHaveReceivedWebhook', {
  count: wholeNumber(),
})

/** Whether a matching delivery arrived, or exactly `count` of them. */
export function toHaveReceivedWebhook(
  received: Received,
  match: DeliveryMatch = {},
  options: DeliveryCount = {},
): Verdict {
  const deliveries = deliveriesOf(received)
  checkMatch(match, 'toHaveReceivedWebhook')
  deliveryCount.check(options)
  const { count } = options
  const matching = deliveries.filter((delivery) => matchesDelivery(match, delivery))
  const pass = count === undefined ? matching.length > 0 : matching.length === count
  const many = count === undefined ? 'a delivery' : counted(count, 'delivery', 'deliveries')
  return {
    pass,
    message: () => {
      const some = count === undefined ? 'no delivery' : `not ${many}`
      const head = `expected ${pass ? some : many} like ${shown(match)}; ${matching.length} of ${deliveries.length} received match`
      const details =
        matching.length > 0 ? matching.map(line) : [nearestDelivery(deliveries, match)]
      return [head, ...details].join('\n')
    },
  }
}

/** Whether matching deliveries arrived in this order. There may be others between them. */
export function toHaveReceivedInOrder(
  received: Received,
  matches: readonly DeliveryMatch[],
): Verdict {
  const deliveries = deliveriesOf(received)
  if (!Array.isArray(matches)) notFor(matches, 'a list of deliveries', 'Pass [{ event: … }, …].')
  for (const match of matches) checkMatch(match, 'toHaveReceivedInOrder')
  let from = 0
  const found: ReceivedDelivery[] = []
  for (const match of matches) {
    const at = deliveries.findIndex(
      (delivery, index) => index >= from && matchesDelivery(match, delivery),
    )
    if (at === -1) break
    found.push(deliveries[at]!)
    from = at + 1
  }
  const pass = found.length === matches.length
  return {
    pass,
    message: () => {
      if (pass) return ['expected these not to come in this order', ...found.map(line)].join('\n')
      const missed = matches[found.length]!
      const after = found.at(-1)
      const since = after === undefined ? '' : ` after delivery ${after.id}`
      const early = deliveries
        .slice(0, from)
        .findLast((delivery) => matchesDelivery(missed, delivery))
      return [
        `expected ${counted(matches.length, 'delivery', 'deliveries')} in order; number ${found.length + 1}, like ${shown(missed)}, did not come${since}`,
        early === undefined
          ? nearestDelivery(deliveries.slice(from), missed)
          : `One like it came too early:\n${line(early)}`,
        'Received:',
        ...deliveries.map(line),
      ].join('\n')
    },
  }
}

/** Whether a delivery, or every delivery of a sink, has a valid signature. */
export function toBeValidlySigned(received: Received | ReceivedDelivery): Verdict {
  const deliveries = isDelivery(received) ? [received] : deliveriesOf(received)
  const wrong = deliveries.filter(({ verdict }) => verdict !== 'valid')
  const pass = wrong.length === 0 && deliveries.length > 0
  return {
    pass,
    message: () => {
      if (pass)
        return ['expected a signature that is not valid', ...deliveries.map(line)].join('\n')
      if (deliveries.length === 0) return 'expected a valid signature; nothing was received at all'
      return ['expected a valid signature', ...wrong.map(diagnosed)].join('\n')
    },
  }
}

function isDelivery(received: unknown): received is ReceivedDelivery {
  return isObject(received) && 'verdict' in received
}

function deliveriesOf(received: Received): readonly ReceivedDelivery[] {
  // What an emulator sent has the same name as what a sink received.
  if (received instanceof Webhooks) return notASink(received)
  const deliveries: unknown =
    isObject(received) && 'deliveries' in received ? received.deliveries : received
  if (Array.isArray(deliveries) && deliveries.every(isDelivery)) return deliveries
  return notASink(received)
}

function notASink(received: unknown): never {
  return notFor(received, 'a webhook sink', 'Pass the sink, or deliveries of one.')
}

function line(delivery: ReceivedDelivery): string {
  return `  ${delivery.toString()}`
}

function diagnosed(delivery: ReceivedDelivery): string {
  const { diagnosis, verdict } = delivery
  const unverified = verdict === 'unverifiable' ? 'The sink holds no secret.' : undefined
  return `${line(delivery)}\n    ${diagnosis?.text ?? unverified ?? verdict}`
}
