import { findNothingToTrain } from '../../service/engine/jobs/nothing-to-train.js'
import { summarize } from '../../service/engine/jobs/batch.js'
import { rlSubmission, sftSubmission } from '../../service/engine/jobs/submission.js'
import {
  assumedData,
  assumedExamples,
  isArtifact,
} from '../../service/engine/jobs/training-data.js'
import { jobCreations } from '../../service/contract/operation-names.js'
import type { TrajectoryGroup } from '../../service/contract/trajectory.js'
import type { JobKind } from '../../service/scenario/scenario.js'
import { fieldsOf, isAccepted, listIn, textIn, type Exchange } from './exchanges.js'
import {
  courseOf,
  narrowed,
  recordIn,
  timeIn,
  type Moment,
  type SeenCourse,
  type SeenRecord,
} from './job-record.js'
import type { JobOfRun } from './jobs-of-run.js'
import { isEmpty, type Span } from './times.js'

/** A model that a client created, or found. */
export interface SeenModel {
  readonly id: string
  readonly entity: string
  readonly project: string
  readonly name: string
  readonly baseModel: string
}

/** A job, as far as a client saw it. Times are milliseconds since the first request. */
export interface SeenJob {
  readonly id: string
  readonly kind: JobKind
  /** Undefined if the recording does not show on which model it is. */
  readonly model: SeenModel | undefined
  /** The number of the job among the jobs of its model, as far as the client knows. */
  readonly ordinal: number
  /** When its creation was answered, or when it was first seen. */
  readonly createdAt: number
  /** Undefined if the recording does not show how it was submitted. */
  readonly submitted: SeenSubmission | undefined
  /** Those that were listed, and the start and the end if only its record shows them. */
  readonly events: readonly SeenEvent[]
  /** Whether a client listed its events. Its record does not show gradient steps. */
  readonly isListed: boolean
  /** The call that created it. Undefined if the recording does not have it. */
  readonly creation: Exchange | undefined
  /** False: it certainly stays as it is, unless it is over. */
  readonly goesOn: boolean
  /** The answers that show its state, in order: its record, or its events. */
  readonly polls: readonly Poll[]
  /** The statuses of its record that the emulator says in other words, and those words. */
  readonly translated: ReadonlyMap<string, string>
  /** The last status of its record, if it has an unknown word. */
  readonly unknownStatus: string | undefined
  /** When a client last asked for it. */
  readonly lastSeenAt: number
}

/** An answer that shows the state of a job. */
export interface Poll {
  readonly sentAt: number
  readonly answeredAt: number
  /** Whether it says anything about the state. */
  readonly isReadable: boolean
}

export interface SeenSubmission {
  /** Undefined if only the service knows it. */
  readonly sequences: number | undefined
  /** The metrics that follow from the data. */
  readonly metrics: Readonly<Record<string, number | null>>
  readonly learningRate: number | null | readonly (number | null)[] | undefined
  readonly trajectories: number | undefined
  /** Why the data has nothing to train on. */
  readonly nothingToTrain: string | undefined
}

export interface SeenEvent {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** When it happened. */
  readonly span: Span
}

/** Returns the gradient steps of a job, in order. */
export function stepsIn({ events }: SeenJob): SeenEvent[] {
  return events.filter(({ type }) => type === 'gradient_step')
}

/** Returns the models of a recording, by id. */
export function modelsIn(exchanges: readonly Exchange[]): Map<string, SeenModel> {
  const models = new Map<string, SeenModel>()
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createModel' || !isAccepted(exchange)) continue
    const { id, entity, project, name, base_model } = fieldsOf(exchange.received)
    if (typeof id !== 'string' || typeof name !== 'string') continue
    models.set(id, {
      id,
      name,
      entity: textIn(entity) ?? '',
      project: textIn(project) ?? '',
      baseModel: textIn(base_model) ?? '',
    })
  }
  return models
}

/** The jobs that the emulator knows, and when the first request was sent, in milliseconds since the epoch. */
interface Run {
  readonly jobs: readonly JobOfRun[]
  readonly start: number
}

/**
 * Returns the jobs of a recording, in the order in which a client first saw them. What the emulator knows about a job
 * counts more than what calls show.
 */
export function jobsIn(
  exchanges: readonly Exchange[],
  models: ReadonlyMap<string, SeenModel>,
  run: Run = { jobs: [], start: 0 },
): SeenJob[] {
  const drafts = new Map<string, Draft>()
  const draftOf = (id: string, exchange: Exchange): Draft => {
    const found = drafts.get(id) ?? new Draft(id, exchange)
    drafts.set(id, found)
    return found
  }
  for (const exchange of exchanges) {
    if (!isAccepted(exchange)) continue
    const { operation = '', received, params } = exchange
    const { id } = fieldsOf(received)
    if (jobCreations.includes(operation) && typeof id === 'string') {
      draftOf(id, exchange).takeCreation(exchange)
    }
    const job = params['training_job_id']
    if (job === undefined) continue
    if (operation === 'getTrainingJob') draftOf(job, exchange).takeRecord(exchange)
    if (operation === 'listTrainingJobEvents') draftOf(job, exchange).take(exchange)
  }
  const ordinals = new Map<string, number>()
  const all = [...drafts.values()]
  // The clocks of the service and of the recorder differ by the same time for all jobs.
  const shifts = all.flatMap(({ ownShift }) => ownShift ?? [])
  const shift = shifts.length > 0 ? Math.min(...shifts) : undefined
  const seen = all.map((draft) => {
    const { modelId = '' } = draft
    const ordinal = (ordinals.get(modelId) ?? 0) + 1
    ordinals.set(modelId, ordinal)
    return draft.job({ model: models.get(modelId), ordinal, shift })
  })
  if (run.jobs.length === 0) return seen
  const known = new Map(
    run.jobs.map((job) => {
      const place = { models, start: run.start, seen: seen.find(({ id }) => id === job.id) }
      return [job.id, knownJob(job, exchanges, place)]
    }),
  )
  const others = seen.filter(({ id }) => !known.has(id))
  return [...others, ...known.values()].sort((one, other) => one.createdAt - other.createdAt)
}

/** A job with all that the emulator knows about it. Its polls are those of the client. */
function knownJob(
  job: JobOfRun,
  exchanges: readonly Exchange[],
  {
    models,
    start,
    seen,
  }: { models: ReadonlyMap<string, SeenModel>; start: number; seen: SeenJob | undefined },
): SeenJob {
  const { id, kind, model, ordinal, creationId, goesOn } = job
  const createdAt = job.createdAt - start
  const creation = exchanges.find((each) => each.id === creationId)
  return {
    id,
    kind,
    model: models.get(model.id) ?? { ...model, baseModel: '' },
    ordinal,
    createdAt,
    submitted: creation && submissionOf(creation),
    events: job.events.map(({ at, ...event }) => {
      return { ...event, span: { above: createdAt + at - 1, most: createdAt + at } }
    }),
    isListed: true,
    creation,
    goesOn,
    polls: seen?.polls ?? [],
    translated: new Map(),
    unknownStatus: undefined,
    lastSeenAt: seen?.lastSeenAt ?? createdAt,
  }
}

/** What is known of a job besides its events. */
interface KnownJob {
  readonly id?: string
  readonly kind?: JobKind | undefined
  /** When it was created, in milliseconds of the clock of the service. Default: a second before its first event. */
  readonly createdAt?: number | undefined
}

/** Returns the job of events that were saved without the calls that got them. */
export function jobOfEvents(
  saved: readonly Readonly<Record<string, unknown>>[],
  { id: jobId = '', kind, createdAt }: KnownJob = {},
): {
  job: SeenJob
  /** Whether the events say when they happened. */
  hasTimes: boolean
} {
  const known = new Map<string, TimedEvent>()
  for (const [index, { id, type, data, ...rest }] of saved.entries()) {
    const time = timeIn(rest['created_at'] ?? rest['timestamp'])
    const key = textIn(id) ?? String(index)
    const span = { above: known.size * SECOND, most: (known.size + 1) * SECOND }
    if (!known.has(key))
      known.set(key, { id: key, type: String(type), data: fieldsOf(data), span, time })
  }
  const events = [...known.values()]
  const first = events[0]?.time
  const hasTimes = first !== undefined && events.every(({ time }) => time !== undefined)
  const before = createdAt === undefined ? SECOND : Math.max(0, (first ?? 0) - createdAt)
  const job: SeenJob = {
    id: jobId,
    kind: kind ?? (looksSupervised(events) ? 'sft' : 'rl'),
    model: undefined,
    ordinal: 1,
    createdAt: 0,
    submitted: undefined,
    isListed: true,
    creation: undefined,
    goesOn: true,
    polls: [],
    translated: new Map(),
    unknownStatus: undefined,
    lastSeenAt: events.at(-1)?.span.most ?? 0,
    events: events.map(({ id, type, data, span, time }) => {
      if (!hasTimes) return { id, type, data, span: { above: span.most - 1, most: span.most } }
      const at = before + Math.max(0, time! - first)
      return { id, type, data, span: { above: at - 1, most: at } }
    }),
  }
  return { job, hasTimes }
}

const SECOND = 1000

/** A job while its exchanges are read. */
class Draft {
  readonly #id: string
  readonly #first: Exchange
  #creation: Exchange | undefined
  readonly #records: SeenRecord[] = []
  readonly #order: string[] = []
  readonly #events = new Map<string, TimedEvent>()
  readonly #polls: Poll[] = []
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
    this.#records.push(recordIn(exchange))
  }

  takeRecord(exchange: Exchange): void {
    const record = recordIn(exchange)
    this.#records.push(record)
    const { sentAt, answeredAt, status } = record
    this.#polls.push({ sentAt, answeredAt, isReadable: status !== undefined })
  }

  /** Takes a page of events. */
  take(exchange: Exchange): void {
    const { data, has_more } = fieldsOf(exchange.received)
    let before = exchange.query['after']
    for (const item of listIn(data)) {
      const { id, type, data: content, ...rest } = fieldsOf(item)
      if (typeof id !== 'string' || typeof type !== 'string') continue
      if (!this.#events.has(id)) {
        const span = { above: this.#completeAt, most: exchange.answeredAt ?? exchange.sentAt }
        const time = timeIn(rest['created_at'] ?? rest['timestamp'])
        this.#events.set(id, { id, type, data: fieldsOf(content), span, time })
        const place = before === undefined ? -1 : this.#order.lastIndexOf(before)
        if (place === -1) this.#order.push(id)
        else this.#order.splice(place + 1, 0, id)
      }
      before = id
    }
    if (has_more === false) this.#completeAt = exchange.sentAt
    const isReadable = Array.isArray(data)
    this.#isListed ||= isReadable
    const { sentAt, answeredAt = sentAt } = exchange
    this.#polls.push({ sentAt, answeredAt, isReadable })
  }

  /** The id of its model, by the call that created it or by its record. */
  get modelId(): string | undefined {
    const sent = textIn(fieldsOf(this.#creation?.sent)['model_id'])
    return sent ?? this.#records.find(({ modelId }) => modelId !== undefined)?.modelId
  }

  /**
   * The time of the recorder at time 0 of the service, by the creation. Undefined if the recording does not show it.
   */
  get ownShift(): number | undefined {
    const created = this.#createdTime
    const creation = this.#newCreation
    if (created === undefined || !creation) return undefined
    return (creation.answeredAt ?? creation.sentAt) - created
  }

  /** The call that created it, unless that found a job from before: the same data again. */
  get #newCreation(): Exchange | undefined {
    const [first] = this.#records
    const isNew = first?.status === undefined || first.status === 'queued'
    return isNew ? this.#creation : undefined
  }

  get #createdTime(): number | undefined {
    return this.#records.find(({ times }) => times.created !== undefined)?.times.created
  }

  job({ model, ordinal, shift }: JobPlace): SeenJob {
    const creation = this.#creation
    const course = courseOf(this.#records)
    const listed = this.#order.map((id) => this.#events.get(id)!)
    const found = withCourse(listed, course)
    const ownShift = this.ownShift ?? shift ?? latestShift(found)
    const events = found.map((event) => timed(event, ownShift))
    const isSft = creation?.operation === 'createSftTrainingJob' || this.#says('sft')
    const last = this.#records.at(-1)
    return {
      id: this.#id,
      kind: isSft || looksSupervised(found) ? 'sft' : 'rl',
      model,
      ordinal,
      createdAt: this.#createdAt(events[0], ownShift),
      submitted: creation && submissionOf(creation),
      events,
      isListed: this.#isListed,
      creation,
      goesOn: true,
      polls: this.#polls,
      translated: this.#translated(),
      unknownStatus: last?.status === undefined ? last?.word : undefined,
      lastSeenAt: this.#polls.at(-1)?.sentAt ?? this.#first.sentAt,
    }
  }

  /** When it was created. A job from before the recording existed when it started, and when it was first asked for. */
  #createdAt(first: SeenEvent | undefined, shift: number): number {
    const creation = this.#newCreation
    if (creation) return creation.answeredAt ?? creation.sentAt
    const known = (this.#createdTime ?? Infinity) + shift
    return Math.min(known, this.#first.sentAt, first?.span.most ?? Infinity)
  }

  #translated(): Map<string, string> {
    return new Map(
      this.#records.flatMap(({ word, status }) => {
        return word === undefined || status === undefined || word === status ? [] : [[word, status]]
      }),
    )
  }

  #says(kind: JobKind): boolean {
    return this.#records.some((record) => record.kind === kind)
  }
}

/** A job among the others. */
interface JobPlace {
  model: SeenModel | undefined
  ordinal: number
  /** The time of the recorder at time 0 of the service, by other jobs. */
  shift: number | undefined
}

/** Adds what the record of a job shows to its events. */
function withCourse(listed: readonly TimedEvent[], { start, end }: SeenCourse): TimedEvent[] {
  const merged = listed.map((event): TimedEvent => {
    const started = event.type === 'training_started' ? start : undefined
    const moment = isEnd(event) ? end : started
    if (!moment) return event
    return { ...event, span: narrowed(event.span, moment.span), time: event.time ?? moment.time }
  })
  const added = (type: string, { span, time }: Moment, data = {}): TimedEvent => {
    return { id: type, type, data, span, time }
  }
  if (start && !merged.some(({ type }) => type === 'training_started')) {
    // A job with steps had started before them.
    const most = merged[0]?.span.most ?? Infinity
    const span = narrowed(start.span, { above: -Infinity, most })
    merged.unshift(added('training_started', { ...start, span }))
  }
  if (end && !merged.some(isEnd)) {
    const { error } = end
    merged.push(added(end.type, end, error === undefined ? {} : { error_message: error }))
  }
  return merged
}

/** Whether an event is the last one of its job. */
export function isEnd({ type }: Pick<SeenEvent, 'type'>): boolean {
  return type === 'training_ended' || type === 'training_failed'
}

/** Without the time of the creation, the clock of the service is as late as the polls allow. */
function latestShift(events: readonly TimedEvent[]): number {
  return events.reduce((least, { time, span }) => {
    return time === undefined ? least : Math.min(least, span.most - time)
  }, Infinity)
}

/** Uses the time that the service says, which is more exact than polls, as far as polls agree. */
function timed({ id, type, data, span, time }: TimedEvent, shift: number): SeenEvent {
  if (time === undefined || shift === Infinity) return { id, type, data, span }
  const at = isEmpty(span)
    ? time + shift
    : Math.max(Math.min(time + shift, span.most), span.above + 1)
  return { id, type, data, span: { above: at - 1, most: at } }
}

interface TimedEvent extends SeenEvent {
  /** The time that the service says, in milliseconds. */
  readonly time: number | undefined
}

/** Only supervised jobs count their steps in the data of an event. */
function looksSupervised(events: readonly TimedEvent[]): boolean {
  const step = events.find(({ type }) => type === 'gradient_step')
  return step !== undefined && 'gradient_step' in step.data && !('reward' in step.data)
}

function submissionOf({ operation, sent }: Exchange): SeenSubmission {
  const { trajectory_groups, experimental_config, training_data_url: url } = fieldsOf(sent)
  if (operation === 'createSftTrainingJob') {
    if (typeof url !== 'string' || !isArtifact(url)) return UNKNOWN
    // The emulator cannot open an artifact either, and assumes this much.
    const request = fieldsOf(sent) as Parameters<typeof sftSubmission>[1]
    const { submission } = sftSubmission(assumedData(url, assumedExamples(request.config)), request)
    return { ...UNKNOWN, ...submission }
  }
  const groups = listIn(trajectory_groups) as readonly TrajectoryGroup[]
  try {
    const batch = summarize(groups)
    const nothingToTrain = findNothingToTrain(batch)
    const settings = fieldsOf(experimental_config) as Parameters<typeof rlSubmission>[1]
    const { submission } = rlSubmission(groups, settings, { rules: { nothing_to_train: 'train' } })
    const { sequences, metrics, learningRate } = submission
    return { sequences, metrics, learningRate, trajectories: batch.trajectories, nothingToTrain }
  } catch {
    // The recording has only a part of the body, or the service accepts what the emulator does not know.
    return UNKNOWN
  }
}

const UNKNOWN: SeenSubmission = {
  sequences: undefined,
  metrics: {},
  learningRate: undefined,
  trajectories: undefined,
  nothingToTrain: undefined,
}
