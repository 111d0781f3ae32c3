import { printable } from '../../base/text/escape.js'
import { groupsOf } from '../../base/text/counted.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { failedDeliveries } from './failed-deliveries.js'
import { formatEntry, isFailed, severityOf, type Severity } from './format.js'
import type { TestedWorld } from './world.js'

/** Something that failed, once or more. */
export interface Failure {
  /** The first entry that tells of it. */
  readonly entry: JournalEntry
  readonly text: string
  readonly severity: Severity | null
}

/**
 * The worst that failed, in the order of the entries, and how many other failures there are. Equal ones count once.
 *
 * @param most - The most failures. Default: all.
 */
export function worstOf(
  entries: readonly JournalEntry[],
  world: Pick<TestedWorld, 'journal' | 'webhooks'>,
  most?: number,
): { failed: readonly Failure[]; unshown: number } {
  // A delivery is described by how it ended, as in the report of `exec`.
  const undelivered = new Map(failedDeliveries(world).map(({ entry, text }) => [entry, text]))
  const failures = FAILURES.flatMap((isSuch) => {
    return entries.filter((entry) => isSuch(entry, undelivered))
  })
  const textOf = (entry: JournalEntry): string => {
    return printable(undelivered.get(entry.id) ?? formatEntry(entry))
  }
  const different = [...groupsOf(failures, textOf)]
  const places = new Map(entries.map((entry, place) => [entry, place]))
  const failed = different
    .slice(0, most)
    .map(([text, [first, ...others]]): Failure => {
      const times = others.length === 0 ? '' : ` (${others.length + 1} times)`
      return { entry: first!, text: text + times, severity: severityOf(first!) }
    })
    .sort((one, other) => places.get(one.entry)! - places.get(other.entry)!)
  return { failed, unshown: different.length - failed.length }
}

/** @param undelivered - The failed deliveries, by their last entry. */
type IsSuch = (entry: JournalEntry, undelivered: ReadonlyMap<number, string>) => boolean

/**
 * What can fail, the worst first: a failed job, a lost answer, a failed delivery, a refusal, which a client may just
 * repeat.
 */
const FAILURES: readonly IsSuch[] = [
  (entry) => entry.kind === 'job' && entry.event === 'training_failed',
  (entry) => entry.kind === 'request' && entry.lost !== undefined,
  ({ id }, undelivered) => undelivered.has(id),
  (entry) => entry.kind === 'request' && entry.lost === undefined && isFailed(entry),
]
