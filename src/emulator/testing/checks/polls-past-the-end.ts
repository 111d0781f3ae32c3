import type { RequestEntry } from '../../../service/engine/journal.js'
import type { CheckDefinition } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { wasReceived } from '../../../service/engine/received.js'

export const pollsPastTheEnd: CheckDefinition = {
  mistake: 'A poll for a job after the client was shown that it ended.',
  legitimate: 'A client may poll again after an answer that a fault changed.',
  find(_world, requests) {
    const shown = new Map<string, RequestEntry>()
    return requests.flatMap((request) => {
      const { jobView, operation } = request
      if (!jobView) return []
      const reader = `${request.headers.authorization} ${operation} ${jobView.jobId}`
      const end = shown.get(reader)
      if (end) {
        const text = `${formatRequest(request)} polled job ${jobView.jobId}, although ${formatRequest(end)} had shown its end`
        return [{ text, requests: [request.id, end.id] }]
      }
      const isTrue = wasReceived(request) && request.effects.length === 0
      if (jobView.over && isTrue) shown.set(reader, request)
      return []
    })
  },
}
