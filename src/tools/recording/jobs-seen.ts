import { jobCreations } from '../../service/contract/operation-names.js'
import { fieldsOf, isAccepted, listIn, textIn, type Exchange } from './exchanges.js'
import {
  endIn,
  isEnd,
  isStart,
  mayHaveSteps,
  readRecord,
  showsEnd,
  showsStart,
  startIn,
  timeIn,
  withEnds,
  type JobRecord,
} from './job-record.js'
import { isMissing } from './replaced-text.js'
import {
  exactly,
  looksSupervised,
  type KnownJob,
  type Poll,
  type SeenEvent,
  type SeenJob,
  type SeenModel,
} from './seen-job.js'
import type { Span } from './times.js'

/** Returns the models of a recording, by id. */
export function modelsIn(exchanges: readonly Exchange[]): Map<string, SeenModel> {
  const models = new Map<string, SeenModel>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createModel' || !isAccepted(exchange)) continue
    const { id, project, name, base_model: baseModel } = fieldsOf(exchange.received)
    if (typeof id !== 'string' || typeof name !== 'string') continue
    const texts = { project: textIn(project) ?? '', baseModel: textIn(baseModel) ?? '' }
    models.set(id, { id, name, ...texts })
  }
  return models
}

/**
 * Returns the jobs of a recording, in the order in which a client first saw them. What the emulator knows about a job
 * counts more than what calls show.
 */
export function jobsIn(
  exchanges: readonly Exchange[],
  models: ReadonlyMap<string, SeenModel>,
  run: readonly KnownJob[],
): SeenJob[] {
  const drafts = new Map<string, Draft>()
  for (const exchange of exchanges) {
    const { operation = '', received, params } = exchange
    const isCreation = jobCreations.includes(operation)
    const id = isCreation ? textIn(fieldsOf(received)['id']) : params['training_job_id']
    if (!isAccepted(exchange) || id === undefined) continue
    const draft = drafts.get(id) ?? new Draft(id, exchange)
    drafts.set(id, draft)
    if (operation === 'listTrainingJobEvents') draft.takeEvents(exchange)
    else if (isCreation) draft.takeCreation(exchange)
    else if (operation === 'getTrainingJob') draft.takeRecord(exchange)
  }
  const ordinals = new Map<string, number>()
  const seen = [...drafts.values()].map((draft) => {
    const { modelId = '' } = draft
    const ordinal = (ordinals.get(modelId) ?? 0) + 1
    ordinals.set(modelId, ordinal)
    return draft.job(models.get(modelId), ordinal)
  })
  const known = run.map(({ creationId, ...job }) => ({
    ...job,
    model: models.get(job.model.id) ?? job.model,
    creation: exchanges.find(({ id }) => id === creationId),
    polls: seen.find(({ id }) => id === job.id)?.polls ?? [],
    losses: [],
  }))
  const others = seen.filter(({ id }) => !known.some((job) => job.id === id))
  return [...others, ...known].sort((one, other) => one.createdAt - other.createdAt)
}

/** A record, and when it was read. */
interface ReadRecord extends JobRecord {
  readonly sentAt: number
  readonly answeredAt: number
}

interface DraftEvent extends SeenEvent {
  /** The time that the service says, in milliseconds of its clock. */
  readonly time: number | undefined
}

/** A job while its exchanges are read. */
class Draft {
  readonly #id: string
  readonly #first: Exchange
  #creation: Exchange | undefined
  readonly #records: ReadRecord[] = []
  readonly #order: string[] = []
  readonly #events = new Map<string, DraftEvent>()
  readonly #polls: Poll[] = []
  /** The cursors of pages, each with the first event that followed it. */
  readonly #cursors = new Map<string, string | undefined>()
  #isListed = false
  /** When the last list without the next event was requested. */
  #completeAt = -Infinity

  constructor(id: string, first: Exchange) {
    this.#id = id
    this.#first = first
  }

  /** Takes the answer to the creation. It has the record of the job, as far as the service shows it. */
  takeCreation(exchange: Exchange): void {
    this.#creation ??= exchange
    const { sentAt, answeredAt = sentAt, received } = exchange
    this.#records.push({ sentAt, answeredAt, ...readRecord(fieldsOf(received)) })
  }

  takeRecord({ sentAt, answeredAt = sentAt, received, text }: Exchange): void {
    const record = readRecord(fieldsOf(received))
    this.#records.push({ sentAt, answeredAt, ...record })
    this.#polls.push({
      answeredAt,
      isReadable: record.status !== undefined,
      isMissing: isMissing(text),
    })
  }

  /** Takes a page of events. */
  takeEvents({ received, text, query, sentAt, answeredAt = sentAt }: Exchange): void {
    const { data, has_more } = fieldsOf(received)
    let before = query['after']
    for (const item of listIn(data)) {
      const { id, type, data: content, created_at, timestamp } = fieldsOf(item)
      if (typeof id !== 'string' || typeof type !== 'string') continue
      if (!this.#events.has(id)) {
        const span = { above: this.#completeAt, most: answeredAt }
        const time = timeIn(created_at ?? timestamp)
        this.#events.set(id, { type, data: fieldsOf(content), span, time })
        const place = before === undefined ? -1 : this.#order.lastIndexOf(before)
        if (place === -1) this.#order.push(id)
        else this.#order.splice(query['order'] === 'desc' ? place : place + 1, 0, id)
      }
      before = id
    }
    if (has_more === false) this.#completeAt = sentAt
    const isReadable = Array.isArray(data)
    const { after } = query
    if (isReadable && after !== undefined) {
      const [first] = listIn(data)
      this.#cursors.set(after, this.#cursors.get(after) ?? textIn(fieldsOf(first)['id']))
    }
    this.#isListed ||= isReadable
    this.#polls.push({ answeredAt, isReadable, isMissing: isMissing(text) })
  }

  /** The id of its model, by the call that created it or by its record. */
  get modelId(): string | undefined {
    const sent = textIn(fieldsOf(this.#creation?.sent)['model_id'])
    return sent ?? this.#records.find(({ modelId }) => modelId !== undefined)?.modelId
  }

  job(model: SeenModel | undefined, ordinal: number): SeenJob {
    const found = this.#withRecords(this.#order.map((id) => this.#events.get(id)!))
    const created = this.#records.find(({ times }) => times.created !== undefined)?.times.created
    const answered = this.#createdAt
    const shift =
      answered !== undefined && created !== undefined ? answered - created : latestShift(found)
    const first = Math.min(this.#first.sentAt, found[0]?.span.most ?? Infinity)
    const last = this.#records.at(-1)
    const isSft =
      this.#creation?.operation === 'createSftTrainingJob' ||
      this.#records.some(({ kind }) => kind === 'sft')
    return {
      id: this.#id,
      kind: isSft || looksSupervised(found) ? 'sft' : 'rl',
      model,
      ordinal,
      createdAt: answered ?? Math.min(first, (created ?? Infinity) + shift),
      creation: this.#creation,
      events: found.map((event) => timed(event, shift)),
      goesOn: true,
      polls: this.#polls,
      unknownStatus: last?.status === undefined ? last?.word : undefined,
      notes: this.#notes(),
      losses: this.#losses(),
    }
  }

  /** When it was created, unless the call found a job from before: the same data again. */
  get #createdAt(): number | undefined {
    const status = this.#records[0]?.status ?? 'queued'
    if (!this.#creation || status !== 'queued') return undefined
    return this.#creation.answeredAt ?? this.#creation.sentAt
  }

  /** Adds what the records show to the events. */
  #withRecords(listed: readonly DraftEvent[]): DraftEvent[] {
    const start = this.#firstShown(startIn, 'started')
    const end = this.#firstShown(endIn, 'ended')
    const merged = listed.map((event) => {
      const started = isStart(event) ? start : undefined
      const seen = isEnd(event) ? end : started
      if (!seen) return event
      return { ...event, span: narrowed(event.span, seen.span), time: event.time ?? seen.time }
    })
    // A job with steps had started before them.
    const most = Math.min(start?.span.most ?? Infinity, merged[0]?.span.most ?? Infinity)
    return withEnds(merged, { start: start && { ...start, span: { ...start.span, most } }, end })
  }

  /** An event as records first show it: between two answers, and at the time that the service says. */
  #firstShown(eventIn: typeof startIn, name: 'started' | 'ended'): DraftEvent | undefined {
    const first = this.#records.find(eventIn)
    if (!first) return undefined
    const before = this.#records.findLast((each) => {
      return each.status !== undefined && !eventIn(each) && each.sentAt < first.answeredAt
    })
    const error = this.#records.find((each) => eventIn(each) && each.error !== undefined)?.error
    return {
      ...eventIn({ ...first, error })!,
      span: { above: before?.sentAt ?? -Infinity, most: first.answeredAt },
      time: this.#records.find(({ times }) => times[name] !== undefined)?.times[name],
    }
  }

  /** A client that sent the id of an event had read it, although no page here has it. */
  #losses(): string[] {
    const unknown = [...this.#cursors].filter(([after]) => !this.#events.has(after))
    const missing = unknown.map(([after, next]) => {
      const place = next === undefined ? 'at the end' : `before ${this.#placeOf(next)}`
      return `events are missing ${place}: no page has after=${after}.`
    })
    return [...missing, ...this.#unlisted()]
  }

  /** What its record shows, and no page of its events. */
  #unlisted(): string[] {
    const records = this.#records.filter(mayHaveSteps)
    if (this.#polls.length === 0 || records.length === 0) return []
    if (!this.#isListed) {
      return [
        'its gradient steps are not in its record, and the client did not list its events. So it has none here.',
      ]
    }
    const listed = [...this.#events.values()]
    const lacksEnd = records.some(showsEnd) && !listed.some(isEnd)
    const lacksStart = records.some(showsStart) && listed.length > 0 && !listed.some(isStart)
    const lacking = [lacksStart && 'start', lacksEnd && 'end'].filter((each) => each !== false)
    return lacking.map((each) => {
      return `no page of its events has its ${each}, which its record shows. Steps ${each === 'end' ? 'before' : 'after'} that may be missing.`
    })
  }

  /** Names an event for people: steps by the numbers that they have in the scenario. */
  #placeOf(id: string): string {
    const types = this.#order.slice(0, this.#order.indexOf(id) + 1).map(this.#typeOf)
    const steps = types.filter((type) => type === 'gradient_step')
    return types.at(-1) === 'gradient_step' ? `step ${steps.length}` : String(types.at(-1))
  }

  readonly #typeOf = (id: string): string => this.#events.get(id)!.type

  #notes(): string[] {
    const words = this.#records.flatMap(({ word, status }) => {
      if (word === undefined || status === undefined || word === status) return []
      return [`for "${word}" the emulator says "${status}".`]
    })
    return [...new Set(words)]
  }
}

/** The times that agree with both, or the first one if none does. */
function narrowed(one: Span, other: Span): Span {
  const above = Math.max(one.above, other.above)
  const most = Math.min(one.most, other.most)
  return above < most ? { above, most } : one
}

/** Without the time of the creation, the clock of the service is as late as the polls allow. */
function latestShift(events: readonly DraftEvent[]): number {
  const shifts = events.flatMap(({ time, span }) => (time === undefined ? [] : [span.most - time]))
  return Math.min(Infinity, ...shifts)
}

/** Uses the time that the service says, which is more exact than polls, as far as polls agree. */
function timed({ type, data, span, time }: DraftEvent, shift: number): SeenEvent {
  if (time === undefined || shift === Infinity) return { type, data, span }
  const at = Math.max(Math.min(time + shift, span.most), span.above + 1)
  return { type, data, span: exactly(at) }
}
