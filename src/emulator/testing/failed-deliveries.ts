import { isLoopbackName } from '../../base/text/near-address.js'
import { countedSends } from '../../base/text/sends.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import type { TestedWorld } from './world.js'

interface FailedDelivery {
  /** What it was, how it ended, and after how many attempts. */
  readonly text: string
  /** The id of the journal entry of its last attempt. */
  readonly entry: number
}

/** Deliveries with no attempt left. Like the journal, they leave out what failed before the world was restored. */
export function failedDeliveries({
  journal,
  webhooks,
}: Pick<TestedWorld, 'journal' | 'webhooks'>): FailedDelivery[] {
  const { deliveries } = webhooks
  const entries = new Map(
    journal.entries.flatMap((each) =>
      each.kind === 'delivery' ? [[each.deliveryId, each.id]] : [],
    ),
  )
  const failed = deliveries.filter((each) => {
    const isOld = each.attemptsBefore > 0 && each.attempts.length === each.attemptsBefore
    return each.status === 'failed' && !isOld && !isReceiverGone(each, deliveries)
  })
  return failed.map(({ id, webhook, event, attempts }) => {
    const { status, error } = attempts.at(-1) ?? {}
    const text = `${event.type} to ${webhook}: ${error ?? status} after ${countedSends(attempts)}`
    const entry = entries.get(id) ?? 0
    // A trace must not fail, so its words are redacted as those of the journal are.
    return { text: journal.redactor.redact(text), entry }
  })
}

/** Whether a receiver on this machine took other deliveries, and was gone for this one: it ended with its command. */
function isReceiverGone({ url, attempts }: Delivery, all: readonly Delivery[]): boolean {
  if (attempts.at(-1)?.status !== undefined || !isLoopbackName(new URL(url).hostname)) return false
  return all.some((each) => each.url === url && each.attempts.some(({ status }) => status))
}
