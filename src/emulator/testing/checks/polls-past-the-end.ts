import type { RequestEntry } from '../../../service/engine/journal.js'
import { oncePer, type CheckDefinition, type MistakeAbout } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { isPlainJson } from './plain-json.js'
import { wasReceived } from '../../../service/engine/received.js'

/** A second reader, or a program that starts again, reads the events up to the end as well. */
const MOST_READERS = 3

export const pollsPastTheEnd: CheckDefinition = {
  mistake: 'A poll for a job after the client was shown that it ended.',
  legitimate:
    'A client may poll again after an answer that a fault changed, or that its JSON parser refuses, and once for each delivery about the job. Three readers may read the events up to the end.',
  find({ engine, journal }) {
    const shown = new Map<string, RequestEntry[]>()
    const late = new Map<string, number>()
    const jobs = new Map<number | undefined, string>()
    // After a restart, the cause of a delivery is unknown: it may be about any job.
    const deliveries = new Map<string | undefined, number>()
    const found = journal.entries.flatMap((entry): MistakeAbout[] => {
      if (entry.kind === 'job') jobs.set(entry.id, entry.jobId)
      if (entry.kind === 'delivery') add(deliveries, jobs.get(entry.cause))
      if (entry.kind !== 'request' || !entry.jobView) return []
      const { jobView, operation } = entry
      const { jobId } = jobView
      const reader = `${entry.headers.authorization} ${operation} ${jobId}`
      const ends = shown.get(reader) ?? []
      shown.set(reader, ends)
      const isReading = jobView.shown !== undefined
      if (isReading && !jobView.over) return []
      const end = ends.at(-1)
      if (end && ends.length >= (isReading ? MOST_READERS : 1)) {
        // Deliveries may arrive together, and be read one after the other.
        const delivered = (deliveries.get(jobId) ?? 0) + (deliveries.get(undefined) ?? 0)
        if (add(late, reader) <= delivered) return []
        const text = `${formatRequest(entry)} polled job ${jobId}, although ${formatRequest(end)} had shown its end`
        return [{ about: jobId, text, requests: [entry.id, end.id] }]
      }
      const isTrue = wasReceived(entry) && entry.effects.length === 0
      const job = engine.store.jobs.get(jobId)
      if (jobView.over && isTrue && isPlainJson(jobView, job)) ends.push(entry)
      return []
    })
    return oncePer(found, 'remember which jobs are over')
  },
}

/** Counts one more. Returns how many there are now. */
function add<Key>(counts: Map<Key, number>, key: Key): number {
  const count = (counts.get(key) ?? 0) + 1
  counts.set(key, count)
  return count
}
