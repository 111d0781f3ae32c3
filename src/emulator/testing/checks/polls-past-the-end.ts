import type { RequestEntry } from '../../../service/engine/journal.js'
import type { CheckDefinition } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { isPlainJson } from './plain-json.js'
import { wasReceived } from '../../../service/engine/received.js'

/** A second reader, or a program that starts again, reads the events up to the end as well. */
const MOST_READERS = 3

export const pollsPastTheEnd: CheckDefinition = {
  mistake: 'A poll for a job after the client was shown that it ended.',
  legitimate:
    'A client may poll again after an answer that a fault changed, or that its JSON parser refuses. Three readers may read the events up to the end.',
  find({ engine }, requests) {
    const shown = new Map<string, RequestEntry[]>()
    return requests.flatMap((request) => {
      const { jobView, operation } = request
      if (!jobView) return []
      const reader = `${request.headers.authorization} ${operation} ${jobView.jobId}`
      const ends = shown.get(reader) ?? []
      shown.set(reader, ends)
      const isReading = jobView.shown !== undefined
      if (isReading && !jobView.over) return []
      const end = ends.at(-1)
      if (end && ends.length >= (isReading ? MOST_READERS : 1)) {
        const text = `${formatRequest(request)} polled job ${jobView.jobId}, although ${formatRequest(end)} had shown its end`
        return [{ text, requests: [request.id, end.id] }]
      }
      const isTrue = wasReceived(request) && request.effects.length === 0
      const job = engine.store.jobs.get(jobView.jobId)
      if (jobView.over && isTrue && isPlainJson(jobView, job)) ends.push(request)
      return []
    })
  },
}
