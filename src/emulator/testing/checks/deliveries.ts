import { isUnderWay } from '../../../service/engine/journal-entry.js'
import type { CheckDefinition } from '../check-definition.js'
import { deliveriesIn, isAcknowledged, outcomeText } from '../deliveries.js'

export const deliveries: CheckDefinition = {
  mistake:
    'Deliveries that the receiver never acknowledged. `exec --checks` counts them, and does not judge them.',
  legitimate:
    'A receiver may acknowledge a delivery as often as it comes, and refuse some of its attempts. One that an adversary changed or kept away needs no acknowledgment.',
  find({ journal, webhooks }) {
    return deliveriesIn(journal.entries).flatMap((attempts) => {
      const { deliveryId, event, webhook } = attempts[0]!
      if (attempts.some((attempt) => isAcknowledged(attempt) || isUnderWay(attempt))) return []
      if (webhooks.wasSpoiled(deliveryId)) return []
      const why = journal.redactor.redact(outcomeText(attempts.at(-1)!))
      const text = `delivery ${deliveryId} (${event} to ${webhook}) was not acknowledged: ${why}`
      return [{ text, requests: [] }]
    })
  },
}
