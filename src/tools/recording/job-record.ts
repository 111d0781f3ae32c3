import { textIn, type Fields } from './exchanges.js'

/** What the service says about a whole job. */
export interface JobRecord {
  /** Undefined if the answer does not say it, or has a word that nobody knows. */
  readonly status: RecordStatus | undefined
  /** The status as the service says it. */
  readonly word: string | undefined
  /** The times that the service says, in milliseconds of its clock. */
  readonly times: Readonly<Record<'created' | 'started' | 'ended', number | undefined>>
  readonly error: string | undefined
  /** Whether it says that the job has not started. */
  readonly isUnstarted: boolean
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

/** Reads the record of a job. */
export function readRecord(fields: Fields): JobRecord {
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
    isUnstarted: training_start === null,
    modelId: textIn(model_id),
    kind: textIn(kind),
  }
}

/** Whether a record shows that the job has started. One that failed may never have. */
export function showsStart({ status, times }: JobRecord): boolean {
  return status === 'running' || status === 'ended' || times.started !== undefined
}

/** Whether a job may have taken steps, for all that its record shows. */
export function mayHaveSteps(record: JobRecord): boolean {
  return showsStart(record) || (showsEnd(record) && !record.isUnstarted)
}

/** An event, without the time of it. */
interface JobEvent {
  readonly type: string
  readonly data: Fields
}

/** Whether an event is the first one of its job. */
export function isStart({ type }: Pick<JobEvent, 'type'>): boolean {
  return type === 'training_started'
}

/** Whether an event is the last one of its job. */
export function isEnd({ type }: Pick<JobEvent, 'type'>): boolean {
  return type === 'training_ended' || type === 'training_failed'
}

/** The start of a job as an event, if a record shows it. */
export function startIn(record: JobRecord): JobEvent | undefined {
  return showsStart(record) ? { type: 'training_started', data: {} } : undefined
}

/** The end of a job as an event, if a record shows it. It has a message, although nothing may show which. */
export function endIn(record: JobRecord): JobEvent | undefined {
  const { status, error } = record
  return showsEnd(record)
    ? { type: `training_${status!}`, data: { error_message: error } }
    : undefined
}

/** Adds the start and the end that records show, where no event is one. */
export function withEnds<Event extends JobEvent>(
  events: readonly Event[],
  { start, end }: { start: Event | undefined; end: Event | undefined },
): Event[] {
  return [
    ...(start && !events.some(isStart) ? [start] : []),
    ...events,
    ...(end && !events.some(isEnd) ? [end] : []),
  ]
}

/** Whether a record shows that the job is over. */
export function showsEnd({ status }: JobRecord): boolean {
  return status === 'ended' || status === 'failed'
}

function statusOf(word: string): RecordStatus | undefined {
  const plain = word.toLowerCase().replaceAll(/[\s-]+/g, '_')
  return STATUSES.find((status) => WORDS[status].includes(plain))
}

/** Reads the status from the other fields, for an answer without one. */
function statusByFields(fields: Fields): RecordStatus | undefined {
  const { training_start, training_end, error_message } = fields
  if (timeIn(training_end) !== undefined) {
    if (typeof error_message === 'string' && error_message !== '') return 'failed'
    return error_message === null ? 'ended' : undefined
  }
  if (timeIn(training_start) !== undefined) return 'running'
  return training_start === null ? 'queued' : undefined
}

/** The range of a `Date`, in milliseconds. */
const LATEST = 8.64e15

/** Reads a time: ISO 8601, or seconds or milliseconds since the epoch. */
export function timeIn(value: unknown): number | undefined {
  const time =
    typeof value === 'number'
      ? Math.round(value > 1e11 ? value : value * 1000)
      : Date.parse(textIn(value) ?? '')
  return Math.abs(time) <= LATEST ? time : undefined
}
