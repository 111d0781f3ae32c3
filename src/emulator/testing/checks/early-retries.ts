import { isChatOperation } from '../../../service/contract/operation-names.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import { wasReceived } from '../../../service/engine/received.js'
import { oncePer, type CheckDefinition } from '../check-definition.js'
import { formatRequest } from '../format.js'

/**
 * Tasks that ask the same chat side by side look like one task that asks again, as rollouts of a group do. So a chat
 * counts if the library of the client says that it is a retry. Of a library that does not say it, chats count if none
 * was answered twice and calls came back early more than once.
 */
export const earlyRetries: CheckDefinition = {
  mistake:
    'A call that came back before the time of its Retry-After. A chat counts if its library says that it is a retry, or if several came early and none was answered twice.',
  legitimate:
    'A test may shorten pauses. Waits above a minute, calls about runs and artifacts, and rollouts of the same chat are left out.',
  find({ engine }, requests) {
    const entries = new Map(requests.map((request) => [request.id, request]))
    const early = engine.clientWaits.retries.early.flatMap(({ request, refused, ...rest }) => {
      const [again, before] = [entries.get(request), entries.get(refused)]
      return again && before ? [{ again, before, ...rest }] : []
    })
    const chats = early.filter(({ again }) => isChat(again))
    const isClear = chats.length > 1 && !hasTwins(requests)
    const found = early
      .filter(({ again, isSaid }) => isSaid || isClear || !isChat(again))
      .map(({ again, before, wait }) => ({
        about: `${again.headers.authorization} ${again.operation}`,
        text: `${formatRequest(again)} came back too early: ${formatRequest(before)} was refused for ${wait / 1000} s (Retry-After)`,
        requests: [again.id, before.id],
      }))
    return oncePer(found, 'wait as long as it says')
  },
}

function isChat({ operation }: RequestEntry): boolean {
  return isChatOperation(operation)
}

/** Whether a chat was answered more than once. Its body may be dropped. */
function hasTwins(requests: readonly RequestEntry[]): boolean {
  const seen = new Set<string>()
  return requests.some((request) => {
    if (!isChat(request) || !wasReceived(request)) return false
    const { headers, bodyLength, bodyHash } = request
    const chat = `${headers.authorization} ${bodyLength} ${bodyHash}`
    if (seen.has(chat)) return true
    seen.add(chat)
    return false
  })
}
