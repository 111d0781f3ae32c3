import { jobCreations } from '../../service/contract/operation-names.js'
import { endOf, type SeenEvent, type SeenJob, type SeenModel } from './jobs-seen.js'
import {
  fieldsOf,
  isAccepted,
  isChat,
  listIn,
  textIn,
  type Exchange,
  type Fields,
} from './exchanges.js'

/** What a client saw of the checkpoints of its models. */
export interface SeenCheckpoints {
  /** By the id of the job that ended with the checkpoint. */
  readonly ofJobs: Map<string, SeenCheckpoint>
  /** Calls that created a job before this one, without the client knowing, by the id of this job. */
  readonly hiddenJobs: Map<string, readonly Exchange[]>
  /** Calls that created such jobs, although the client got no answer. */
  readonly worked: Set<Exchange>
  /** Chats that were refused because a checkpoint was not served. */
  readonly unserved: Set<Exchange>
}

/** Times are milliseconds since the first request. */
export interface SeenCheckpoint {
  /** Whether the job added one as it ended. */
  readonly isAdded: boolean
  /** The metrics that a list shows. */
  readonly metrics?: Fields | undefined
  /** Others that were there before its end: when a list first had them. */
  readonly onTheWay: readonly { readonly at: number; readonly metrics: Fields }[]
  /** When a chat first got an answer from it, was refused again, and when a list did not have it any more. */
  readonly served?: number | undefined
  readonly evicted?: number | undefined
  readonly expired?: number | undefined
}

/** A list of checkpoints that a client got. */
interface Listing {
  readonly sentAt: number
  readonly answeredAt: number
  readonly metrics: ReadonlyMap<number, Fields>
  readonly newest: number
  /** Whether it has all checkpoints. */
  readonly isWhole: boolean
}

/** More checkpoints than this on the way of one job are older ones, from before the recording. */
const MOST_ON_THE_WAY = 20

/** Reads from lists and chats when each checkpoint was there. */
export function checkpointsIn(
  exchanges: readonly Exchange[],
  jobs: readonly SeenJob[],
): SeenCheckpoints {
  const created = jobs.flatMap(({ creation }) => creation ?? [])
  const seen: SeenCheckpoints = {
    ofJobs: new Map(),
    hiddenJobs: new Map(),
    worked: new Set(created.filter((each) => !isAccepted(each))),
    unserved: new Set(),
  }
  const models = new Map(jobs.flatMap(({ model }) => (model ? [[model.id, model] as const] : [])))
  for (const model of models.values()) {
    const reader = new Reader(exchanges, model, seen)
    const own = jobs.filter((job) => job.model?.id === model.id)
    for (const [index, job] of own.entries()) reader.read(job, own.slice(index + 1))
  }
  return seen
}

/** Reads the checkpoints of a model, job by job. */
class Reader {
  readonly #exchanges: readonly Exchange[]
  readonly #model: SeenModel
  readonly #listings: readonly Listing[]
  readonly #seen: SeenCheckpoints
  /** The newest step so far. */
  #step = 0

  constructor(exchanges: readonly Exchange[], model: SeenModel, seen: SeenCheckpoints) {
    this.#exchanges = exchanges
    this.#model = model
    this.#seen = seen
    this.#listings = exchanges.flatMap((each) => listingIn(each, model) ?? [])
  }

  /**
   * Reads the checkpoints of a job.
   *
   * @param later The jobs of the model after it. A list may first show its checkpoint together with theirs.
   */
  read(job: SeenJob, later: readonly SeenJob[]): void {
    const end = endOf(job)
    const over = end?.span.most ?? job.polls.at(-1)?.answeredAt ?? job.createdAt
    const before = this.#listings.findLast(({ answeredAt, sentAt }) => {
      return answeredAt <= (end?.span.above ?? over) && sentAt <= job.createdAt
    })
    if (before) this.#step = Math.max(this.#step, before.newest)
    const after = this.#listings.find(({ sentAt }) => sentAt >= over)
    const own = end?.type === 'training_ended' ? 1 : 0
    const shared = after ? after.newest - this.#step : own
    const theirs = later.filter((other) => {
      const { type, span } = endOf(other) ?? {}
      return type === 'training_ended' && after !== undefined && span!.most <= after.sentAt
    })
    // Each job that ended has one of its own, the first ones first.
    const added =
      theirs.length > 0 ? Math.max(shared - theirs.length, Math.min(own, shared)) : shared
    const hidden = this.#hiddenBefore(job, added - own)
    const first = this.#step + hidden + 1
    const more = added - own - hidden
    this.#step += added
    const isAdded = own === 1 && added > 0
    this.#seen.ofJobs.set(job.id, {
      isAdded,
      onTheWay: more > MOST_ON_THE_WAY ? [] : this.#listed(first, more),
      metrics: isAdded ? after?.metrics.get(this.#step) : undefined,
      ...(isAdded && end && this.#serving(end)),
    })
  }

  /** Finds calls that created jobs before this one without an answer: there are more checkpoints than jobs. */
  #hiddenBefore(job: SeenJob, most: number): number {
    const { worked, hiddenJobs } = this.#seen
    const lost = this.#exchanges.filter((each) => {
      return mayHaveCreated(each, this.#model) && each.sentAt <= job.createdAt && !worked.has(each)
    })
    const hidden = lost.slice(0, Math.max(0, most))
    if (hidden.length > 0) hiddenJobs.set(job.id, hidden)
    for (const each of hidden) worked.add(each)
    return hidden.length
  }

  /** Returns checkpoints from a step on, as lists show them. */
  #listed(first: number, count: number): SeenCheckpoint['onTheWay'] {
    return Array.from({ length: Math.max(0, count) }, (_, index) => {
      const listing = this.#listings.find(({ newest }) => newest >= first + index)!
      return { at: listing.answeredAt, metrics: listing.metrics.get(first + index) ?? {} }
    })
  }

  /** Reads from chats with the newest checkpoint when it was served, and from lists when it vanished. */
  #serving({ span }: SeenEvent): Pick<SeenCheckpoint, 'served' | 'evicted' | 'expired'> {
    const chats = this.#exchanges.filter((each) => {
      return each.sentAt >= span.above && isChatWith(each, this.#model, this.#step)
    })
    const answered = chats.filter(isAccepted)
    const refused = chats.filter(({ status }) => status === 404)
    const early = refused.filter(({ id }) => id < (answered[0]?.id ?? 0))
    const late = refused.filter(({ id }) => id > (answered.at(-1)?.id ?? 0))
    const gone = this.#listings.find(({ isWhole, sentAt, metrics }) => {
      return isWhole && sentAt > span.most && !metrics.has(this.#step)
    })
    const isDeleted = this.#exchanges.some((each) => each.operation === 'deleteCheckpoints')
    const explained = isDeleted && answered.length === 0 ? [] : [...early, ...late]
    for (const each of explained) this.#seen.unserved.add(each)
    const served = early.length > 0 ? answered[0]!.sentAt : undefined
    if (gone && !isDeleted) {
      return { served, expired: Math.min(gone.sentAt, late[0]?.sentAt ?? Infinity) }
    }
    // It was listed, and chats that got no answer from it never did.
    const never = answered.length === 0 && !isDeleted ? span.most : undefined
    return { served, evicted: late[0] && (answered.length > 0 ? late[0].sentAt : never) }
  }
}

/** A call that may have created a job: its answer was lost, or a gateway answered in place of the service. */
function mayHaveCreated(exchange: Exchange, { id }: SeenModel): boolean {
  const { operation = '', sent, status } = exchange
  if (!jobCreations.includes(operation) || fieldsOf(sent)['model_id'] !== id) return false
  return !isAccepted(exchange) && (status === undefined || status >= 500)
}

/** Returns the checkpoints that a call listed, if the newest one is among them. */
function listingIn(exchange: Exchange, { id }: SeenModel): Listing | undefined {
  const { operation, params, query, received, sentAt, answeredAt = sentAt } = exchange
  if (operation !== 'listCheckpoints' || params['model_id'] !== id || !isAccepted(exchange)) {
    return undefined
  }
  const { data, has_more } = fieldsOf(received)
  const metrics = new Map(
    listIn(data).flatMap((item) => {
      const { step, metrics: own } = fieldsOf(item)
      return typeof step === 'number' ? [[step, fieldsOf(own)] as const] : []
    }),
  )
  const isFirst = query['after'] === undefined
  const hasNewest = query['order'] === 'desc' ? isFirst : has_more === false
  if (metrics.size === 0 || !hasNewest) return undefined
  const newest = Math.max(...metrics.keys())
  return { sentAt, answeredAt, metrics, newest, isWhole: isFirst && has_more === false }
}

const ARTIFACT = /([^/:]+)\/([^/:]+)(?::([^/:]+))?$/

function isChatWith(exchange: Exchange, { project, name }: SeenModel, step: number): boolean {
  if (!isChat(exchange)) return false
  const [, ...found] = ARTIFACT.exec(textIn(fieldsOf(exchange.sent)['model']) ?? '') ?? []
  return found[0] === project && found[1] === name && found[2] === `step${step}`
}

/** What a checkpoint has besides the metrics that the emulator gives to one of such a job. */
export function extraMetrics(metrics: Fields, usual: Fields): Record<string, number> {
  const numbers = Object.entries(metrics).filter((entry): entry is [string, number] => {
    return typeof entry[1] === 'number' && Number.isFinite(entry[1])
  })
  return Object.fromEntries(
    numbers.filter(([name, value]) => {
      return usual[name.replace(/^train\//, '')] !== value
    }),
  )
}
