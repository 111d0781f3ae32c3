import type { DeliveryEntry, JournalEntry } from '../engine/journal.js'

/** A webhook's delivery: all of its attempts that are recorded, oldest first; at least one. */
export type Delivery = readonly DeliveryEntry[]

/** The one place where deliveries are read from the journal. */
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

/** Whether its answer is still to come. */
export function isUnderWay({ status, error }: DeliveryEntry): boolean {
  return status === undefined && error === undefined
}

/** Whether the receiver took it in: any answer of the 200s. */
export function isAcknowledged({ status }: DeliveryEntry): boolean {
  return status !== undefined && status >= 200 && status < 300
}
