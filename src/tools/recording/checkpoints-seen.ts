import { jobCreations } from '../../service/contract/operation-names.js'
import { isEnd, type SeenJob, type SeenModel } from './jobs-seen.js'
import { fieldsOf, isAccepted, isChat, listIn, textIn, type Exchange } from './exchanges.js'
import type { Span } from './times.js'

/** What a client saw of the checkpoints of its models. */
export interface SeenCheckpoints {
  /** By the id of the job that ended with the checkpoint. */
  readonly ofJobs: ReadonlyMap<string, SeenCheckpoint>
  /** Calls that created a job before this one, without the client knowing, by the id of this job. */
  readonly hiddenJobs: ReadonlyMap<string, readonly Exchange[]>
  /** Calls that created such jobs, although the client got no answer. */
  readonly worked: ReadonlySet<Exchange>
  /** Chats that were refused because a checkpoint was not served. */
  readonly unserved: ReadonlySet<Exchange>
}

export interface SeenCheckpoint {
  /** Whether the job added one as it ended. */
  isAdded: boolean
  /** When the job added others, while it ran. All times count from the first request. */
  onTheWay: readonly Span[]
  served?: Span | undefined
  evicted?: Span | undefined
  expired?: Span | undefined
  /** What it has besides the metrics of its training. */
  metrics?: Readonly<Record<string, number>> | undefined
}

/** A list of checkpoints that a client got. */
interface Listing {
  sentAt: number
  answeredAt: number
  steps: readonly number[]
  newest: number
  /** Whether it has all checkpoints. */
  isWhole: boolean
}

/** More checkpoints than this on the way of one job are older ones, from before the recording. */
const MOST_ON_THE_WAY = 20

/** Reads from lists and chats when each checkpoint was there. */
export function checkpointsIn(
  exchanges: readonly Exchange[],
  jobs: readonly SeenJob[],
): SeenCheckpoints {
  const seen = {
    ofJobs: new Map<string, SeenCheckpoint>(),
    hiddenJobs: new Map<string, readonly Exchange[]>(),
    worked: new Set(
      jobs.flatMap(({ creation }) => (creation && !isAccepted(creation) ? [creation] : [])),
    ),
    unserved: new Set<Exchange>(),
  }
  const models = new Map(jobs.flatMap(({ model }) => (model ? [[model.id, model] as const] : [])))
  for (const model of models.values()) {
    const reader = new Reader(exchanges, model, seen)
    for (const job of jobs) if (job.model?.id === model.id) reader.read(job)
  }
  return seen
}

type SeenSoFar = { [K in keyof SeenCheckpoints]: Writable<SeenCheckpoints[K]> }

/** Reads the checkpoints of a model, job by job. */
class Reader {
  readonly #exchanges: readonly Exchange[]
  readonly #model: SeenModel
  readonly #listings: readonly Listing[]
  readonly #unclear: readonly Exchange[]
  readonly #seen: SeenSoFar
  /** The newest step so far. */
  #step = 0

  constructor(exchanges: readonly Exchange[], model: SeenModel, seen: SeenSoFar) {
    this.#exchanges = exchanges
    this.#model = model
    this.#seen = seen
    this.#listings = listingsOf(exchanges, model)
    this.#unclear = exchanges.filter((each) => isUnclearCreation(each, model.id))
  }

  read(job: SeenJob): void {
    const listings = this.#listings
    const end = endOf(job)
    const hasEnded = end?.type === 'training_ended'
    const over = end?.span.most ?? job.lastSeenAt
    const before = listings.findLast(({ answeredAt, sentAt }) => {
      return answeredAt <= (end?.span.above ?? over) && sentAt <= job.createdAt
    })
    if (before) this.#step = Math.max(this.#step, before.newest)
    const after = listings.find(({ sentAt }) => sentAt >= over)
    const step = this.#step
    const expected = hasEnded ? 1 : 0
    const added = after ? after.newest - step : expected
    const hidden = this.#hiddenBefore(job, added - expected)
    const more = added - expected - hidden
    const seen: SeenCheckpoint = {
      isAdded: hasEnded && added > 0,
      onTheWay:
        more <= 0 || more > MOST_ON_THE_WAY ? [] : onTheWay(listings, { job, step, count: more }),
    }
    this.#step = after ? after.newest : step + added
    if (end && seen.isAdded) this.#addServing(seen, end.span)
    this.#seen.ofJobs.set(job.id, seen)
  }

  /** Finds calls that created jobs before this one without an answer. Returns how many. */
  #hiddenBefore(job: SeenJob, most: number): number {
    const { worked, hiddenJobs } = this.#seen
    const lost = this.#unclear.filter((each) => each.sentAt <= job.createdAt && !worked.has(each))
    const hidden = lost.slice(0, Math.max(0, most))
    if (hidden.length > 0) hiddenJobs.set(job.id, hidden)
    for (const each of hidden) worked.add(each)
    return hidden.length
  }

  #addServing(seen: SeenCheckpoint, end: Span): void {
    const [model, listings, step] = [this.#model, this.#listings, this.#step]
    const served = servingOf(this.#exchanges, { model, listings, step, end })
    Object.assign(seen, served.times)
    for (const each of served.refused) this.#seen.unserved.add(each)
  }
}

type Writable<T> =
  T extends ReadonlyMap<infer K, infer V> ? Map<K, V> : T extends ReadonlySet<infer V> ? Set<V> : T

export function endOf({ events }: SeenJob): SeenJob['events'][number] | undefined {
  return events.find(isEnd)
}

/** A call that may have created a job: its answer was lost, or a gateway answered in place of the service. */
function isUnclearCreation(exchange: Exchange, modelId: string): boolean {
  const { operation = '', sent, status } = exchange
  if (!jobCreations.includes(operation) || fieldsOf(sent)['model_id'] !== modelId) return false
  return !isAccepted(exchange) && (status === undefined || status >= 500)
}

function listingsOf(exchanges: readonly Exchange[], { id }: SeenModel): Listing[] {
  return exchanges.flatMap((exchange) => {
    const { operation, params, query, received, sentAt, answeredAt = sentAt } = exchange
    if (operation !== 'listCheckpoints' || params['model_id'] !== id || !isAccepted(exchange)) {
      return []
    }
    const { data, has_more } = fieldsOf(received)
    const steps = listIn(data).flatMap((each) => {
      const { step } = fieldsOf(each)
      return typeof step === 'number' ? [step] : []
    })
    const isFirst = query['after'] === undefined
    const hasNewest = query['order'] === 'desc' ? isFirst : has_more === false
    if (steps.length === 0 || !hasNewest) return []
    const newest = Math.max(...steps)
    return [{ sentAt, answeredAt, steps, newest, isWhole: isFirst && has_more === false }]
  })
}

/** When checkpoints were added while a job ran: between two lists, or at some time before its end. */
function onTheWay(
  listings: readonly Listing[],
  { job, step, count }: { job: SeenJob; step: number; count: number },
): Span[] {
  const most = (endOf(job)?.span.most ?? job.lastSeenAt) - 1
  return Array.from({ length: count }, (_, index) => {
    const reached = listings.find(({ newest }) => newest >= step + index + 1)
    const before = listings.findLast(({ newest, sentAt }) => {
      return newest <= step + index && sentAt <= (reached?.sentAt ?? most)
    })
    const above = Math.max(before?.sentAt ?? 0, job.createdAt)
    return { above, most: Math.min(reached?.answeredAt ?? most, most) }
  })
}

interface Serving {
  model: SeenModel
  listings: readonly Listing[]
  step: number
  /** When the checkpoint was added. */
  end: Span
}

const ARTIFACT = /([^/:]+)\/([^/:]+)(?::([^/:]+))?$/

/** Reads from chats with a checkpoint when it was served, and from lists when it was deleted. */
function servingOf(
  exchanges: readonly Exchange[],
  { model, listings, step, end }: Serving,
): { times: Partial<SeenCheckpoint>; refused: readonly Exchange[] } {
  const chats = exchanges.filter((exchange) => {
    if (!isChat(exchange) || exchange.sentAt < end.above) return false
    const [, project, name, suffix] =
      ARTIFACT.exec(textIn(fieldsOf(exchange.sent)['model']) ?? '') ?? []
    const isIt = name === model.name && project === model.project && suffix === `step${step}`
    return isIt
  })
  const answered = chats.filter(isAccepted)
  const refused = chats.filter(({ status }) => status === 404)
  const firstOk = answered[0]
  const lastOk = answered.at(-1)
  const early = refused.filter(({ id }) => !firstOk || id < firstOk.id)
  const late = refused.filter(({ id }) => lastOk && id > lastOk.id)
  const wholeAfter = listings.filter(({ isWhole, sentAt }) => isWhole && sentAt > end.most)
  const gone = wholeAfter.find(({ steps }) => !steps.includes(step))
  const wasDeleted = exchanges.some((each) => each.operation === 'deleteCheckpoints')
  const times: Partial<SeenCheckpoint> = {}
  const explained: Exchange[] = []
  if (early.length > 0 && firstOk) {
    const last = early.at(-1)!
    times.served = { above: last.sentAt, most: firstOk.answeredAt ?? firstOk.sentAt }
    explained.push(...early)
  }
  const firstLate = late[0]
  if (!firstOk && refused.length > 0 && !wasDeleted && !gone) {
    // It was listed, and no chat of the recording ever got an answer from it.
    times.evicted = { above: -Infinity, most: end.above }
    explained.push(...refused)
  }
  if (gone && !wasDeleted) {
    const here = Math.max(
      lastOk?.sentAt ?? end.above,
      ...wholeAfter.filter(({ steps }) => steps.includes(step)).map(({ sentAt }) => sentAt),
    )
    const most = Math.min(gone.answeredAt, firstLate?.answeredAt ?? Infinity)
    times.expired = { above: here, most }
    explained.push(...refused)
  } else if (firstLate && lastOk) {
    const most = firstLate.answeredAt ?? firstLate.sentAt
    times.evicted = { above: lastOk.sentAt, most }
    explained.push(...late)
  }
  return { times, refused: explained }
}
