import { groupsOf } from '../../base/text/counted.js'
import type { DeliveryEntry, JournalEntry } from '../../service/engine/journal.js'

/** The recorded attempts of one delivery, oldest first; at least one. */
export type AttemptsOfOne = readonly DeliveryEntry[]

/** Reads deliveries from the journal: the attempts of each. */
export function deliveriesIn(entries: readonly JournalEntry[]): AttemptsOfOne[] {
  const attempts = entries.filter((entry) => entry.kind === 'delivery')
  return [...groupsOf(attempts, ({ deliveryId }) => deliveryId).values()]
}

/** Says what came of an attempt that was not acknowledged. */
export function outcomeText({ status, error }: Pick<DeliveryEntry, 'status' | 'error'>): string {
  return status === undefined ? (error ?? 'no answer') : `answered ${status}`
}

/** Whether the receiver acknowledged it, with any 2xx status. */
export function isAcknowledged({ status }: DeliveryEntry): boolean {
  return status !== undefined && status >= 200 && status < 300
}
