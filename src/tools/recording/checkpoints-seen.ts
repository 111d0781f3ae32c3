import { jobCreations } from '../../service/contract/operation-names.js'
import { trainMetric } from '../../service/engine/jobs/checkpoints.js'
import { lostChanges } from './unknown-effects.js'
import { endOf, stepsIn, type SeenEvent, type SeenJob, type SeenModel } from './seen-job.js'
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
  /** Jobs before this one that the client did not know of, by the id of this job. */
  readonly hiddenJobs: Map<string, readonly HiddenJob[]>
  /** Calls that created such jobs, although the client got no answer. */
  readonly worked: Set<Exchange>
  /** Chats that were refused because a checkpoint was not served. */
  readonly unserved: Set<Exchange>
}

/** A job that a call created without an answer. */
export interface HiddenJob {
  readonly call: Exchange
  /** Whether only the user says so. */
  readonly isAssumed?: true
  /** When a list had its checkpoint, before the next job was created. */
  readonly listedAt?: number
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

/**
 * Reads from lists and chats when each checkpoint was there.
 *
 * @param lostTookEffect Whether calls without an answer took effect where nothing shows it.
 */
export function checkpointsIn(
  exchanges: readonly Exchange[],
  jobs: readonly SeenJob[],
  lostTookEffect = false,
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
    reader.readRest()
  }
  if (lostTookEffect) assumeLost(exchanges, jobs, seen)
  return seen
}

/** Adds the calls without an answer. A job that one of them created came before the next one of its model. */
function assumeLost(
  exchanges: readonly Exchange[],
  jobs: readonly SeenJob[],
  { worked, hiddenJobs }: SeenCheckpoints,
): void {
  for (const call of lostChanges(exchanges)) {
    if (worked.has(call) || isMadeLater(call, exchanges)) continue
    worked.add(call)
    const { operation = '', sent, sentAt } = call
    const next = jobs.find(({ model, createdAt }) => {
      return model !== undefined && model.id === fieldsOf(sent)['model_id'] && createdAt >= sentAt
    })
    if (!next || !jobCreations.includes(operation)) continue
    const hidden = [...(hiddenJobs.get(next.id) ?? []), { call, isAssumed: true as const }]
    hiddenJobs.set(
      next.id,
      hidden.sort((one, other) => one.call.id - other.call.id),
    )
  }
}

/** Reads the checkpoints of a model, job by job. */
class Reader {
  readonly #exchanges: readonly Exchange[]
  readonly #model: SeenModel
  readonly #listings: readonly Listing[]
  /** Calls that may have created a job without an answer. */
  readonly #lost: readonly Exchange[]
  readonly #seen: SeenCheckpoints
  /** The newest step so far. */
  #step = 0
  /** Whether a list showed which step is that of a job. */
  #isSure = false

  constructor(exchanges: readonly Exchange[], model: SeenModel, seen: SeenCheckpoints) {
    this.#exchanges = exchanges
    this.#model = model
    this.#seen = seen
    this.#listings = exchanges.flatMap((each) => listingIn(each, model) ?? [])
    this.#lost = exchanges.filter((each) => mayHaveCreated(each, model))
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
    const listed = before ? this.#listedBefore(before) : []
    const after = this.#listings.find(({ sentAt }) => sentAt >= over)
    const own = end?.type === 'training_ended' ? 1 : 0
    const shared = after ? after.newest - this.#step : own
    const theirs = later.filter((other) => {
      const { type, span } = endOf(other) ?? {}
      return type === 'training_ended' && after !== undefined && span!.most <= after.sentAt
    })
    const lost = this.#lost.filter((call) => {
      const isLater = call.sentAt > job.createdAt && after && call.sentAt <= after.sentAt
      const isBeforeJob = later.some(({ createdAt }) => call.sentAt <= createdAt)
      return isLater && (isBeforeJob || this.#isKnownAt(call))
    })
    const listedOwn = own === 1 && after ? ownStep(job, after.metrics, this.#step) : undefined
    // Each job that ended has one of its own, the first ones first.
    const others = theirs.length + lost.length
    const estimate = others > 0 ? Math.max(shared - others, Math.min(own, shared)) : shared
    const added = listedOwn === undefined ? estimate : listedOwn - this.#step
    this.#isSure ||= listedOwn !== undefined
    const unlisted = this.#lostBefore(job.createdAt).slice(0, Math.max(0, added - own))
    this.#hide(job.id, [...listed, ...unlisted.map((call) => ({ call }))])
    const first = this.#step + unlisted.length + 1
    const more = added - own - unlisted.length
    this.#step += added
    const isAdded = own === 1 && added > 0
    this.#seen.ofJobs.set(job.id, {
      isAdded,
      onTheWay: more > MOST_ON_THE_WAY ? [] : this.#listed(first, more),
      metrics: isAdded ? after?.metrics.get(this.#step) : undefined,
      ...(isAdded && end && this.#serving(end)),
    })
  }

  /** Finds the calls without an answer that created jobs after all that are known. */
  readRest(): void {
    const last = this.#listings.at(-1)
    for (const { call } of last ? this.#listedBefore(last) : []) this.#seen.worked.add(call)
  }

  /**
   * Moves on to the newest step of a list. Steps that no job explains are those of calls without an answer, if an
   * earlier list shows what was there before them.
   */
  #listedBefore(listing: Listing): HiddenJob[] {
    const lost = this.#lostBefore(listing.sentAt).filter((call) => this.#isKnownAt(call))
    const earlier = lost[0] && this.#listedUntil(lost[0])
    const from = Math.max(this.#step, earlier?.newest ?? (this.#isSure ? 0 : listing.newest))
    this.#step = Math.max(this.#step, listing.newest)
    return lost.slice(0, Math.max(0, this.#step - from)).map((call, index) => {
      const shows = this.#listings.find(({ newest }) => newest > from + index)!
      return { call, listedAt: shows.sentAt }
    })
  }

  /** Whether it is known which checkpoints were there before a call. */
  #isKnownAt(call: Exchange): boolean {
    return this.#isSure || this.#listedUntil(call) !== undefined
  }

  /** The last list before a call. Undefined: nothing shows what was there before it. */
  #listedUntil({ sentAt }: Exchange): Listing | undefined {
    return this.#listings.findLast(({ answeredAt }) => answeredAt <= sentAt)
  }

  /** Calls that may have created jobs before a moment, and did not do so as far as is known. */
  #lostBefore(at: number): Exchange[] {
    return this.#lost.filter((each) => each.sentAt <= at && !this.#seen.worked.has(each))
  }

  /** Notes jobs that came before another one without the client knowing. */
  #hide(id: string, hidden: readonly HiddenJob[]): void {
    const { worked, hiddenJobs } = this.#seen
    if (hidden.length > 0) hiddenJobs.set(id, hidden)
    for (const { call } of hidden) worked.add(call)
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

/**
 * Finds the checkpoint of a job among the later steps of a list: the only one with the metrics of its last step. Undefined
 * if none or several have them.
 */
export function ownStep(
  job: SeenJob,
  listed: ReadonlyMap<number, Fields>,
  before: number,
): number | undefined {
  const { data = {} } = stepsIn(job).at(-1) ?? {}
  const last = Object.entries(data).filter(([name]) => TRAINED.includes(name))
  if (last.length === 0) return undefined
  const found = [...listed].filter(([step, metrics]) => {
    return step > before && last.every(([name, value]) => metrics[trainMetric(name)] === value)
  })
  return found.length === 1 ? found[0]![0] : undefined
}

/** Metrics that differ from step to step. */
const TRAINED: readonly string[] = ['loss', 'policy_loss', 'grad_norm']

/** Whether a later call created the model, so that this one did not. */
function isMadeLater({ id, operation, sent }: Exchange, exchanges: readonly Exchange[]): boolean {
  const { name, project, return_existing } = fieldsOf(sent)
  if (operation !== 'createModel' || return_existing === true) return false
  return exchanges.some((later) => {
    const same = fieldsOf(later.sent)
    const isSame = later.operation === operation && same['name'] === name
    return isSame && same['project'] === project && later.id > id && isAccepted(later)
  })
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
