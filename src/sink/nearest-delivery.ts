import { mismatches, type DeliveryMatch, type Mismatch } from './match.js'
import type { ReceivedDelivery } from './received-delivery.js'

/** The delivery that comes closest to a match that none fits, in words: what it is and how it differs. */
export function nearestDelivery(
  deliveries: readonly ReceivedDelivery[],
  match: DeliveryMatch,
): string {
  let best: { delivery: ReceivedDelivery; differs: Mismatch[] } | undefined
  for (const delivery of deliveries) {
    const differs = mismatches(delivery, match)
    // Of equals the latest: it is the one that was just expected.
    if (differs.length > 0 && (!best || differs.length <= best.differs.length)) {
      best = { delivery, differs }
    }
  }
  if (!best) return deliveries.length === 0 ? 'Nothing was received at all.' : ''
  const lines = best.differs.map(({ place, expected, actual }) => {
    return `  ${place}: expected ${expected}, got ${actual}`
  })
  return [`The nearest is ${best.delivery.toString()}`, ...lines].join('\n')
}
