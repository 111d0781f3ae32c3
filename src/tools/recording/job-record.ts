import { fieldsOf, textIn, type Exchange } from './exchanges.js'
import { intersection, isEmpty, type Span } from './times.js'

/** What an answer says about a whole job: that of `GET /training-jobs/{id}`, or the one to its creation. */
export interface SeenRecord extends JobRecord {
  readonly sentAt: number
  readonly answeredAt: number
}

/** What the service says about a whole job. */
export interface JobRecord {
  /** Undefined if the answer does not say it, or has a word that nobody knows. */
  readonly status: RecordStatus | undefined
  /** The status as the service says it. */
  readonly word: string | undefined
  /** The times that the service says, in milliseconds of its clock. */
  readonly times: Readonly<Record<'created' | 'started' | 'ended', number | undefined>>
  readonly error: string | undefined
  /** Its model and its kind, if the service says them. */
  readonly modelId: string | undefined
  readonly kind: string | undefined
}

export type RecordStatus = 'queued' | 'running' | 'ended' | 'failed'

/** The words of the emulator come first. No document has those of the service, so the usual ones count, too. */
const WORDS: Readonly<Record<RecordStatus, readonly string[]>> = {
  queued: ['queued', 'pending', 'created', 'submitted', 'waiting', 'scheduled'],
  running: ['running', 'training', 'started', 'in_progress'],
  ended: ['ended', 'completed', 'complete', 'succeeded', 'success', 'finished', 'done'],
  failed: ['failed', 'failure', 'error', 'errored', 'cancelled', 'canceled'],
}

const STATUSES = Object.keys(WORDS) as RecordStatus[]

/** Reads what an answer says about a job. */
export function recordIn({ sentAt, answeredAt = sentAt, received }: Exchange): SeenRecord {
  return { sentAt, answeredAt, ...readRecord(fieldsOf(received)) }
}

/** Reads the record of a job. */
export function readRecord(fields: Readonly<Record<string, unknown>>): JobRecord {
  const { created_at, training_start, training_end, error_message, model_id, kind } = fields
  const word = textIn(fields['status'])
  const times = {
    created: timeIn(created_at),
    started: timeIn(training_start),
    ended: timeIn(training_end),
  }
  return {
    status: word === undefined ? statusByFields(fields) : statusOf(word),
    word,
    times,
    error: textIn(error_message),
    modelId: textIn(model_id),
    kind: textIn(kind),
  }
}

function statusOf(word: string): RecordStatus | undefined {
  const plain = word.toLowerCase().replaceAll(/[\s-]+/g, '_')
  return STATUSES.find((status) => WORDS[status].includes(plain))
}

/** Reads the status from the other fields, for an answer without one. */
function statusByFields(fields: Readonly<Record<string, unknown>>): RecordStatus | undefined {
  const { training_start, training_end, error_message } = fields
  if (timeIn(training_end) !== undefined) {
    if (typeof error_message === 'string' && error_message !== '') return 'failed'
    return error_message === null ? 'ended' : undefined
  }
  if (timeIn(training_start) !== undefined) return 'running'
  return training_start === null ? 'queued' : undefined
}

/** Reads a time: ISO 8601, or seconds or milliseconds since the epoch. */
export function timeIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e11 ? value : value * 1000
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

/** What the answers about a job show of its start and of its end. */
export interface SeenCourse {
  start: Moment | undefined
  end:
    | (Moment & { type: 'training_ended' | 'training_failed'; error: string | undefined })
    | undefined
}

/** When something happened: between two answers, and exactly if the service says it. */
export interface Moment {
  readonly span: Span
  /** The time that the service says, in milliseconds of its clock. */
  readonly time: number | undefined
}

/** Reads when a job started and ended from what its record said at each poll. */
export function courseOf(records: readonly SeenRecord[]): SeenCourse {
  const started = timeOf(records, 'started')
  const isStarted = ({ status, times }: SeenRecord): boolean => {
    return status === 'running' || status === 'ended' || times.started !== undefined
  }
  const isOver = ({ status }: SeenRecord): boolean => status === 'ended' || status === 'failed'
  const startSpan = firstSpan(records, isStarted)
  const endSpan = firstSpan(records, isOver)
  const over = records.find(isOver)
  return {
    start: startSpan && { span: startSpan, time: started },
    end: endSpan && {
      span: endSpan,
      time: timeOf(records, 'ended'),
      type: over!.status === 'failed' ? 'training_failed' : 'training_ended',
      error: records.find((each) => isOver(each) && each.error !== undefined)?.error,
    },
  }
}

function timeOf(records: readonly SeenRecord[], name: 'started' | 'ended'): number | undefined {
  return records.find(({ times }) => times[name] !== undefined)?.times[name]
}

/** The time between the last answer that does not show something, and the first one that does. */
function firstSpan(
  records: readonly SeenRecord[],
  shows: (record: SeenRecord) => boolean,
): Span | undefined {
  const first = records.find(shows)
  if (!first) return undefined
  const before = records.findLast((each) => {
    return each.status !== undefined && !shows(each) && each.sentAt < first.answeredAt
  })
  return { above: before?.sentAt ?? -Infinity, most: first.answeredAt }
}

/** The times that agree with both, or the first one if none does. */
export function narrowed(one: Span, other: Span | undefined): Span {
  if (!other) return one
  const both = intersection(one, other)
  return isEmpty(both) ? one : both
}
