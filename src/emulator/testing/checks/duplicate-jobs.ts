import { parseJson } from '../../../base/text/json-text.js'
import type { JournalEntry, RequestEntry } from '../../../service/engine/journal.js'
import type { Job } from '../../../service/engine/jobs/job.js'
import type { CheckDefinition } from '../check-definition.js'
import { isAcknowledged } from '../deliveries.js'
import { formatRequest } from '../format.js'
import { wasReceived } from '../../../service/engine/received.js'

/**
 * A loop may sample the same answers again, so what counts is whether the client could know how the job before ended. The
 * service knows the data of an SFT job again, and makes a second job only if the first one failed.
 */
export const duplicateJobs: CheckDefinition = {
  mistake:
    'A second job of the same batch, after an answer that was lost or an error, or before the client saw the first one end.',
  legitimate: 'A batch may come again after the client saw the last job of that batch end.',
  find({ engine, journal }, requests) {
    const creations = new Map(requests.map((request) => [request.id, request]))
    const endsSeen = firstSightsOfEnds(journal.entries)
    const last = new Map<string, { job: Job; request: RequestEntry }>()
    return [...engine.store.jobs.values()].flatMap((job) => {
      const { id, kind, cause } = job
      const request = cause === undefined ? undefined : creations.get(cause)
      const batch = request && batchOf(request)
      if (!request || batch === undefined) return []
      const earlier = last.get(batch)
      last.set(batch, { job, request })
      if (!earlier) return []
      const isReceived = wasReceived(earlier.request)
      // After a lost answer, the same call tells the id of the job.
      if (kind === 'sft' && !isReceived) return []
      const seenAt = Math.min(
        endsSeen.get(sightOf(earlier.job.id, request)) ?? Infinity,
        endsSeen.get(sightOf(earlier.job.id, 'webhook')) ?? Infinity,
      )
      if (isReceived && (seenAt < request.id || showsEnd(earlier.request, earlier.job))) return []
      const why = isReceived
        ? ', and the client had not seen that job end'
        : ', but the client never received its response'
      const text = `job ${id} is a duplicate: ${formatRequest(request)} sent the same batch as ${formatRequest(earlier.request)}, which created job ${earlier.job.id}${why}`
      return [{ text, requests: [request.id, earlier.request.id] }]
    })
  },
}

/** Names a job and who was shown its end: the client of a request, or a receiver of webhooks. */
function sightOf(jobId: string, by: RequestEntry | 'webhook'): string {
  return `${jobId} ${by === 'webhook' ? by : by.headers.authorization}`
}

/** Returns the id of the first entry that showed the end of each job, by the name of the sight. */
function firstSightsOfEnds(entries: readonly JournalEntry[]): Map<string, number> {
  const sights = new Map<string, number>()
  const ends = new Map<number, string>()
  const see = (sight: string, id: number): void => {
    if (!sights.has(sight)) sights.set(sight, id)
  }
  for (const entry of entries) {
    if (entry.kind === 'request') {
      const { jobView, id } = entry
      if (jobView?.over === true && wasReceived(entry)) see(sightOf(jobView.jobId, entry), id)
    } else if (entry.kind === 'job') {
      if (END_EVENTS.has(entry.event)) ends.set(entry.id, entry.jobId)
    } else if (entry.kind === 'delivery') {
      const jobId = entry.cause === undefined ? undefined : ends.get(entry.cause)
      if (jobId !== undefined && isAcknowledged(entry)) see(sightOf(jobId, 'webhook'), entry.id)
    }
  }
  return sights
}

/** Whether the answer to a creation showed the end already: under some clocks, a job takes no time. */
function showsEnd({ response, answeredAt = 0 }: RequestEntry, { progress }: Job): boolean {
  // Without its text, what counts is what it could show.
  if (response?.text === undefined) return (progress.endedAt ?? Infinity) <= answeredAt
  const { training_end: end } = Object(parseJson(response.text)) as Record<string, unknown>
  return typeof end === 'string'
}

const END_EVENTS = new Set(['training_ended', 'training_failed'])

/** Returns what a job was created from, as text; undefined for an empty batch. */
export function batchOf({ body }: RequestEntry): string | undefined {
  const { model_id, trajectory_groups, training_data_url, config } = Object(body) as Record<
    string,
    unknown
  >
  if (training_data_url !== undefined) return JSON.stringify([model_id, training_data_url, config])
  if (!Array.isArray(trajectory_groups) || trajectory_groups.length === 0) return undefined
  return JSON.stringify([model_id, trajectory_groups])
}
