import { tampered } from './adversary.js'
import { Delivery, type Attempt, type ToDo } from './delivery.js'

/** A delivery as plain JSON. */
export interface KeptDelivery extends Pick<
  Delivery,
  'automation' | 'webhook' | 'url' | 'event' | 'tampering' | 'ordinal' | 'status'
> {
  body: string
  /** `sent` says that it was not the body; what it was follows from the tampering. */
  attempts: (Omit<Attempt, 'sent'> & { sent?: true | undefined })[]
  toDo: ToDo[]
}

export function keptDelivery(delivery: Delivery): KeptDelivery {
  const { automation, webhook, url, tampering, ordinal, status, text: body } = delivery
  // What led to it stands in the journal, which is not kept.
  const { cause: _cause, ...event } = delivery.event
  const attempts = delivery.attempts.map(({ sent, ...attempt }) => {
    return sent ? { ...attempt, sent: true as const } : attempt
  })
  const toDo = [...delivery.toDo]
  return { automation, webhook, url, event, tampering, ordinal, status, body, attempts, toDo }
}

/** The delivery again, with nothing planned. */
export function deliveryFrom(id: string, kept: KeptDelivery): Delivery {
  const body = new TextEncoder().encode(kept.body)
  const delivery = new Delivery({ ...kept, id, body })
  delivery.status = kept.status
  for (const { sent, ...attempt } of kept.attempts) {
    delivery.attempts.push(sent ? { ...attempt, sent: tampered(body, kept.tampering) } : attempt)
  }
  return delivery
}
