import type { OperationName } from '../../../service/contract/operation-names.js'
import { cursorOf } from '../../../service/api/paging.js'
import { lastOfEach } from '../../../service/api/route.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import { faultDefinition } from '../../../service/scenario/faults/kinds/index.js'
import { oncePer, type CheckDefinition, type MistakeAbout } from '../check-definition.js'
import { formatRequest } from '../format.js'
import { jobNamedIn } from '../job-of-request.js'
import type { TestedWorld } from '../world.js'

/**
 * A client reads the events of a job from the start, without a cursor, and then its cursors only grow. Several clients
 * may read the same job.
 */
export const backwardCursors: CheckDefinition = {
  mistake: 'A cursor of events before one that the client already used.',
  legitimate: 'A client may start again without a cursor, or go back after a fault changed a page.',
  find(world, requests) {
    const readings = new Map<string, number[]>()
    const found = requests.flatMap((request): MistakeAbout[] => {
      const jobView = request.jobView ?? refusedView(world, request)
      if (jobView?.from === undefined) return []
      const reader = `${request.headers.authorization} ${jobView.jobId}`
      const places = readings.get(reader) ?? []
      readings.set(reader, places)
      if (jobView.from === 0) {
        places.push(0)
        return []
      }
      const furthest = Math.max(-1, ...places)
      const before = Math.max(-1, ...places.filter((place) => place <= jobView.from!))
      if (before >= 0) places.splice(places.indexOf(before), 1)
      places.push(jobView.from)
      if (mayMislead(request)) places.push(0)
      if (before >= 0 || furthest < 0) return []
      const text = `${formatRequest(request)} went back: its cursor is event ${jobView.from} of job ${jobView.jobId}, after a cursor at event ${furthest}`
      return [{ about: jobView.jobId, text, requests: [request.id] }]
    })
    return oncePer(found, 'send the id of the last event as after')
  },
}

const LIST_EVENTS: OperationName = 'listTrainingJobEvents'

/** What a request for events asked for that was refused before the work. */
export function refusedView(
  { engine }: TestedWorld,
  request: RequestEntry,
): { jobId: string; from: number } | undefined {
  if (request.operation !== LIST_EVENTS) return undefined
  const job = jobNamedIn(request, engine.store)
  if (!job) return undefined
  const cursor = cursorOf(lastOfEach(request.query))
  const index = cursor ? job.events.indexOf(cursor) : -1
  return index === undefined ? undefined : { jobId: job.id, from: index + 1 }
}

/**
 * Whether a fault changed what an answer says about events, so that the client may go back. An answer that is
 * missing, or that nobody can read, is no reason: the client has the cursor of the page before.
 */
function mayMislead({ faults }: RequestEntry): boolean {
  return faults.some(({ fault }) => {
    const { damage, page } = faultDefinition(fault)
    return damage === 'changed' || page !== undefined
  })
}
