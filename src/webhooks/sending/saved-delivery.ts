import { whole, type AllFields } from '../../service/engine/saved/complete.js'
import { NO_CHANGES, tampered } from './adversary.js'
import { Delivery } from './delivery.js'
import type { SavedDelivery } from './saved-webhooks-schema.js'

export function saveDelivery(delivery: Delivery): AllFields<SavedDelivery> {
  const { automation, webhook, url, tampering, ordinal, status, text: body } = delivery
  // The cause is an entry of the journal, which is not saved.
  const { cause: _cause, ...event } = delivery.event
  const attempts = delivery.attempts.map(({ sent, ...attempt }) => {
    return whole({ ...attempt, sent: sent ? (true as const) : undefined })
  })
  return {
    automation,
    webhook,
    url,
    event: whole(event),
    tampering: whole(tampering),
    ordinal,
    status,
    body,
    attempts,
    toDo: whole([...delivery.toDo]),
  }
}

/** Restores a delivery. Nothing is scheduled for it yet: see `Sender.resume`. */
export function restoreDelivery(id: string, saved: SavedDelivery): Delivery {
  const body = new TextEncoder().encode(saved.body)
  const plan = { ...NO_CHANGES, tampering: saved.tampering }
  const delivery = new Delivery({ ...saved, id, body, plan })
  for (const { sent, ...attempt } of saved.attempts) {
    delivery.attempts.push(sent ? { ...attempt, sent: tampered(body, saved.tampering) } : attempt)
  }
  delivery.attemptsBefore = delivery.attempts.length
  return delivery
}
