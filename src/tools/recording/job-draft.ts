import { fieldsOf, textIn, type Exchange } from './exchanges.js'
import {
  endIn,
  isEnd,
  isStart,
  mayHaveSteps,
  readRecord,
  showsEnd,
  showsStart,
  startIn,
  withEnds,
  type JobRecord,
} from './job-record.js'
import { ListedEvents, type DraftEvent } from './listed-events.js'
import { isMissing } from './replaced-text.js'
import {
  exactly,
  looksSupervised,
  type Poll,
  type SeenEvent,
  type SeenJob,
  type SeenModel,
} from './seen-job.js'
import type { Span } from './times.js'

/** A record, and when it was read. */
interface ReadRecord extends JobRecord {
  readonly sentAt: number
  readonly answeredAt: number
}

/** A job while its exchanges are read. */
export class JobDraft {
  readonly #id: string
  readonly #first: Exchange
  #creation: Exchange | undefined
  readonly #records: ReadRecord[] = []
  readonly #events = new ListedEvents()
  readonly #polls: Poll[] = []

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
  takeEvents(page: Exchange): void {
    const { sentAt, answeredAt = sentAt, text } = page
    const isReadable = this.#events.take(page)
    this.#polls.push({ answeredAt, isReadable, isMissing: isMissing(text) })
  }

  /** The id of its model, by the call that created it or by its record. */
  get modelId(): string | undefined {
    const sent = textIn(fieldsOf(this.#creation?.sent)['model_id'])
    return sent ?? this.#records.find(({ modelId }) => modelId !== undefined)?.modelId
  }

  job(model: SeenModel | undefined, ordinal: number): SeenJob {
    const found = this.#withRecords(this.#events.all)
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
      losses: [...this.#events.gaps(), ...this.#unlisted()],
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

  /** What its record shows, and no page of its events. */
  #unlisted(): string[] {
    const records = this.#records.filter(mayHaveSteps)
    if (this.#polls.length === 0 || records.length === 0) return []
    if (!this.#events.hasPages) {
      return [
        'its gradient steps are not in its record, and the client did not list its events. So it has none here.',
      ]
    }
    const listed = this.#events.all
    const lacksEnd = records.some(showsEnd) && !listed.some(isEnd)
    const lacksStart = records.some(showsStart) && listed.length > 0 && !listed.some(isStart)
    const lacking = [lacksStart && 'start', lacksEnd && 'end'].filter((each) => each !== false)
    return lacking.map((each) => {
      return `no page of its events has its ${each}, which its record shows. Steps ${each === 'end' ? 'before' : 'after'} that may be missing.`
    })
  }

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
