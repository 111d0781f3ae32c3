import { isLoopbackName } from '../../base/text/near-address.js'
import { countedSends } from '../../base/text/sends.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import { causeOf, whyUnsent } from '../../webhooks/sending/why-failed.js'
import type { TestedWorld } from './world.js'

interface FailedDelivery {
  /** What it was, how it ended, and after how many attempts. */
  readonly text: string
  /** The id of the journal entry of its last attempt. */
  readonly entry: number
}

type DeliveringWorld = Pick<TestedWorld, 'journal' | 'webhooks'>

/** Deliveries with no attempt left. Like the journal, they leave out what failed before the world was restored. */
export function failedDeliveries(world: DeliveringWorld): FailedDelivery[] {
  const entries = new Map(
    world.journal.entries.flatMap((each) =>
      each.kind === 'delivery' ? [[each.deliveryId, each.id]] : [],
    ),
  )
  return failedAmong(world, (each) => !isOld(each)).map((each) => {
    return { text: failedText(each, world), entry: entries.get(each.id) ?? 0 }
  })
}

/**
 * The texts of deliveries that failed before the world was restored.
 *
 * @param job - Selects those that it caused.
 */
export function deliveriesFailedBefore(world: DeliveringWorld, job?: Job): string[] {
  return failedAmong(world, (each) => isOld(each) && (!job || each.event.jobId === job.id)).map(
    (each) => failedText(each, world),
  )
}

/** Whether it was not sent since its world was restored. */
function isOld({ attempts, attemptsBefore }: Delivery): boolean {
  return attemptsBefore > 0 && attempts.length === attemptsBefore
}

function failedAmong(
  { webhooks }: DeliveringWorld,
  selects: (delivery: Delivery) => boolean,
): Delivery[] {
  const { deliveries } = webhooks
  return deliveries.filter((each) => {
    const isLost = each.status === 'failed' && selects(each)
    return isLost && !(webhooks.failedTooLate(each) && mayBeOfCommand(each, deliveries))
  })
}

function failedText(delivery: Delivery, { journal, webhooks }: DeliveringWorld): string {
  const { webhook, event, attempts } = delivery
  // Only an attempt makes a delivery fail.
  const last = attempts.at(-1)!
  const isSent = whyUnsent(last) === undefined
  const outcome = isSent ? `${last.error} after ${countedSends(attempts)}. ` : ''
  const why = causeOf(delivery, webhooks.rulesOf(webhook))
  // A trace must not fail, so its words are redacted as those of the journal are.
  return journal.redactor.redact(`${event.type} to ${webhook}: ${outcome}${why}`)
}

/** Whether a receiver on this machine answered others, and not this one: it may have ended with the command. */
function mayBeOfCommand({ url, attempts }: Delivery, all: readonly Delivery[]): boolean {
  if (attempts.at(-1)?.status !== undefined || !isLoopbackName(new URL(url).hostname)) return false
  return all.some((each) => each.url === url && each.attempts.some(({ status }) => status))
}
