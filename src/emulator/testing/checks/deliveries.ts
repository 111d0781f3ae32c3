import { isUnderWay } from '../../../service/engine/journal-entry.js'
import type { CheckDefinition } from '../check-definition.js'
import { deliveriesIn, isAcknowledged } from '../deliveries.js'

export const deliveries: CheckDefinition = {
  mistake: 'Deliveries that were not acknowledged, or more than once.',
  legitimate: 'A receiver may refuse attempts before the one that it acknowledges.',
  find({ journal }) {
    return deliveriesIn(journal.entries).flatMap((attempts) => {
      const { deliveryId, event, webhook } = attempts[0]!
      const times = attempts.filter(isAcknowledged).length
      if (times === 1 || attempts.some(isUnderWay)) return []
      const how = times === 0 ? 'was not acknowledged' : `was acknowledged ${times} times`
      return [{ text: `delivery ${deliveryId} (${event} to ${webhook}) ${how}`, requests: [] }]
    })
  },
}
