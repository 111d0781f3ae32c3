import type { DeliveryEntry, JournalEntry } from '../../service/engine/journal.js'

/** The recorded attempts of one delivery, oldest first; at least one. */
export type Delivery = readonly DeliveryEntry[]

/** Reads deliveries from the journal. */
export function deliveriesIn(entries: readonly JournalEntry[]): Delivery[] {
  const deliveries = new Map<string, DeliveryEntry[]>()
  for (const entry of entries) {
    if (entry.kind !== 'delivery') continue
    const attempts = deliveries.get(entry.deliveryId)
    if (attempts) attempts.push(entry)
    else deliveries.set(entry.deliveryId, [entry])
  }
  return [...deliveries.values()]
}

/** Whether the receiver acknowledged it, with any 2xx status. */
export function isAcknowledged({ status }: DeliveryEntry): boolean {
  return status !== undefined && status >= 200 && status < 300
}
