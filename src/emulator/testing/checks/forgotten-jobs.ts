import { groupsOf } from '../../../base/text/counted.js'
import { operationIdIn } from '../../../service/contract/operation-names.js'
import type { Job } from '../../../service/engine/jobs/job.js'
import type { RequestEntry } from '../../../service/engine/journal.js'
import { wasReceived } from '../../../service/engine/received.js'
import type { CheckDefinition, FoundMistake } from '../check-definition.js'
import { deliveriesIn, isAcknowledged } from '../deliveries.js'
import { formatRequest } from '../format.js'
import { batchOf } from './duplicate-jobs.js'

/**
 * What counts is what the client can know. If it polled a job, never saw the end, and stopped, it gave up. If it never got
 * the id of a job, a look at the checkpoints is all that it can do. The same batch again is for `duplicateJobs`.
 */
export const forgottenJobs: CheckDefinition = {
  mistake: 'A new job after the client polled an earlier one in vain, or lost its answer.',
  legitimate: 'A program may queue jobs, and watch them later.',
  find({ engine, journal }, requests) {
    // A receiver of webhooks may know the end without a poll.
    if (deliveriesIn(journal.entries).some((attempts) => attempts.some(isAcknowledged))) return []
    const byId = new Map(requests.map((request) => [request.id, request]))
    const creations = [...engine.store.jobs.values()].flatMap((job): Creation[] => {
      const request = job.cause === undefined ? undefined : byId.get(job.cause)
      return request ? [{ job, request }] : []
    })
    const readers = groupsOf(creations, ({ job, request }) => {
      return `${request.headers.authorization} ${job.model.id}`
    })
    return [...readers.values()].flatMap((created) => {
      const [{ request }] = created as [Creation]
      const own = requests.filter(({ headers }) => {
        return headers.authorization === request.headers.authorization
      })
      return created.flatMap((each, place) => {
        return mistakeWith(each, { later: created.slice(place + 1), requests: own }) ?? []
      })
    })
  },
}

interface Creation {
  readonly job: Job
  readonly request: RequestEntry
}

interface Afterwards {
  /** The jobs of the model that came later, in their order. */
  readonly later: readonly Creation[]
  /** The requests of the client. */
  readonly requests: readonly RequestEntry[]
}

function mistakeWith(created: Creation, { later, requests }: Afterwards): FoundMistake | undefined {
  const { job, request } = created
  const isKnown = wasReceived(request)
  const polls = requests.filter(({ jobView }) => jobView?.jobId === job.id)
  // A job that nobody polls may be watched in another way.
  if (isKnown && polls.length === 0) return undefined
  const from = (isKnown ? polls.at(-1)! : request).id
  const next = later.find((each) => each.request.id > from)
  if (!next || batchOf(next.request) === batchOf(request)) return undefined
  const isSettled = requests.some((each) => {
    return each.id > request.id && each.id < next.request.id && settles(each, created)
  })
  if (isSettled) return undefined
  const why = isKnown
    ? `after the client had polled job ${job.id} in vain: wait for its end, or end with an error`
    : `after job ${job.id}, whose answer was lost: look first whether that job made a checkpoint`
  const text = `${formatRequest(next.request)} created job ${next.job.id} ${why}`
  return { text, requests: [next.request.id, request.id] }
}

/** Whether a request told the client that a job is over, or is all that it can do to know. */
function settles(request: RequestEntry, { job, request: creation }: Creation): boolean {
  const { jobView, at } = request
  if (jobView?.jobId === job.id) return jobView.over && wasReceived(request)
  if (!showsCheckpoints(request, job)) return false
  if (!wasReceived(creation)) return true
  return wasReceived(request) && job.progress.endedAt !== undefined && job.progress.endedAt <= at
}

/** Whether a request may show the checkpoints of the model of a job. They are artifacts, too. */
function showsCheckpoints({ operation = '', path }: RequestEntry, { model }: Job): boolean {
  if (operation === 'listCheckpoints') return path.includes(model.id)
  return operationIdIn(operation) === 'platformGraphql'
}
