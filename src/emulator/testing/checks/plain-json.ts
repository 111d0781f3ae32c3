import type { Job } from '../../../service/engine/jobs/job.js'
import type { JobView } from '../../../service/engine/journal-entry.js'

/**
 * Whether an answer is JSON for all clients. `NaN` and `Infinity`, which a scenario may put into metrics, are none for
 * clients in JavaScript: they read nothing of the answer, and ask again.
 */
export function isPlainJson(
  { shown: [first, end] = [0, 0] }: Pick<JobView, 'shown'>,
  job?: Job,
): boolean {
  if (!job) return true
  for (let index = first; index < end; index++) {
    if (job.events.nonFiniteAt(index).length > 0) return false
  }
  return true
}
