import { oncePer, type CheckDefinition, type MistakeAbout } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { mayBeRead } from '../../../service/engine/received.js'

/** A client knows a cursor from a page that it received, and it received all pages before that one. */
export const skippedEvents: CheckDefinition = {
  mistake: 'A cursor of events after some that the client never received.',
  legitimate: 'A client may use a cursor that it received before the journal began.',
  find({ journal }, requests) {
    const firstEntry = journal.entries[0]?.id ?? 1
    if (firstEntry > 1) return []
    // Only jobs that were read from the start are judged.
    const received = new Map<string, number>()
    const found = requests.flatMap((request): MistakeAbout[] => {
      const { jobView } = request
      if (jobView?.from === undefined) return []
      const { jobId, from, shown } = jobView
      const end = received.get(jobId) ?? (from === 0 ? 0 : undefined)
      if (end === undefined) return []
      if (shown && shown[0] <= end && mayBeRead(request)) {
        received.set(jobId, Math.max(end, shown[1]))
      } else received.set(jobId, end)
      if (from <= end) return []
      const text = `${formatRequest(request)} skipped events: its cursor is event ${from} of job ${jobId}, but the client received only the first ${end}`
      return [{ about: jobId, text, requests: [request.id] }]
    })
    return oncePer(found, 'send the id of the last event as after')
  },
}
