import { findNothingToTrain } from '../engine/jobs/nothing-to-train.js'
import { summarize } from '../engine/jobs/batch.js'
import { rlSubmission, sftSubmission } from '../engine/jobs/submission.js'
import { assumedData, isArtifact } from '../engine/jobs/training-data.js'
import type { TrajectoryGroup } from '../contract/trajectory.js'
import type { JobKind } from '../scenario/scenario.js'
import { fieldsOf, isAccepted, listIn, textIn, type Exchange } from './exchanges.js'
import type { Span } from './round.js'

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
  readonly events: readonly SeenEvent[]
  /** When a client last asked for its events. */
  readonly lastSeenAt: number
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

/** The operations that create jobs. */
export const CREATIONS: readonly string[] = ['createRlTrainingJob', 'createSftTrainingJob']

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

/** Returns the jobs of a recording, in the order in which a client first saw them. */
export function jobsIn(
  exchanges: readonly Exchange[],
  models: ReadonlyMap<string, SeenModel>,
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
    const { id, created_at, training_start, training_end } = fieldsOf(received)
    if (CREATIONS.includes(operation) && typeof id === 'string') {
      draftOf(id, exchange).creation ??= exchange
    }
    const job = params['training_job_id']
    if (job === undefined) continue
    if (operation === 'getTrainingJob' && received !== undefined) {
      draftOf(job, exchange).record = { created_at, training_start, training_end }
    }
    if (operation === 'listTrainingJobEvents') draftOf(job, exchange).take(exchange)
  }
  const ordinals = new Map<string, number>()
  return [...drafts.values()].map((draft) => {
    const { model_id } = fieldsOf(draft.creation?.sent)
    const model = models.get(String(model_id))
    const key = typeof model_id === 'string' ? model_id : ''
    const ordinal = (ordinals.get(key) ?? 0) + 1
    ordinals.set(key, ordinal)
    return draft.job(model, ordinal)
  })
}

/** Returns the job of events that were saved without the calls that got them. */
export function jobOfEvents(saved: readonly Readonly<Record<string, unknown>>[]): {
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
  const job: SeenJob = {
    id: '',
    kind: looksSupervised(events) ? 'sft' : 'rl',
    model: undefined,
    ordinal: 1,
    createdAt: 0,
    submitted: undefined,
    lastSeenAt: events.at(-1)?.span.most ?? 0,
    events: events.map(({ id, type, data, span, time }) => {
      if (!hasTimes) return { id, type, data, span: { above: span.most - 1, most: span.most } }
      const at = SECOND + Math.max(0, time! - first)
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
  creation: Exchange | undefined
  record: Readonly<Record<string, unknown>> | undefined
  readonly #order: string[] = []
  readonly #events = new Map<string, TimedEvent>()
  /** When the last list without the next event was requested. */
  #completeAt = -Infinity
  #lastSeenAt: number

  constructor(id: string, first: Exchange) {
    this.#id = id
    this.#first = first
    this.#lastSeenAt = first.sentAt
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
    this.#lastSeenAt = exchange.sentAt
  }

  job(model: SeenModel | undefined, ordinal: number): SeenJob {
    const { creation } = this
    const createdAt = creation?.answeredAt ?? this.#first.sentAt
    const isSft = creation?.operation === 'createSftTrainingJob'
    const events = this.#order.map((id) => this.#events.get(id)!)
    return {
      id: this.#id,
      kind: isSft || looksSupervised(events) ? 'sft' : 'rl',
      model,
      ordinal,
      createdAt,
      submitted: creation && submissionOf(creation),
      events: this.#timed(events, createdAt),
      lastSeenAt: this.#lastSeenAt,
    }
  }

  /** Uses the times that the service says, which are more exact than those of polls. */
  #timed(events: readonly TimedEvent[], createdAt: number): SeenEvent[] {
    const { created_at, training_start, training_end } = this.record ?? {}
    const created = timeIn(created_at)
    const exact = (event: TimedEvent): number | undefined => {
      if (event.time !== undefined) return event.time
      if (event.type === 'training_started') return timeIn(training_start)
      const isEnd = event.type === 'training_ended' || event.type === 'training_failed'
      return isEnd ? timeIn(training_end) : undefined
    }
    // Without the time of the creation, the clock of the service is as late as the polls allow.
    const shift =
      created === undefined
        ? events.reduce((least, event) => {
            const time = event.time
            return time === undefined ? least : Math.min(least, event.span.most - time)
          }, Infinity)
        : createdAt - created
    return events.map(({ id, type, data, span, ...event }) => {
      const time = exact({ id, type, data, span, ...event })
      if (time === undefined || shift === Infinity) return { id, type, data, span }
      const at = time + shift
      return { id, type, data, span: { above: at - 1, most: at } }
    })
  }
}

interface TimedEvent extends SeenEvent {
  /** The time that the service says, in milliseconds. */
  readonly time: number | undefined
}

/** Reads a time: ISO 8601, or seconds or milliseconds since the epoch. */
function timeIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e11 ? value : value * 1000
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? undefined : time
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
    const { submission } = sftSubmission(assumedData(url, ASSUMED_EXAMPLES), request)
    return { ...UNKNOWN, ...submission }
  }
  const groups = listIn(trajectory_groups) as readonly TrajectoryGroup[]
  try {
    const batch = summarize(groups)
    const nothingToTrain = findNothingToTrain(batch)
    const settings = fieldsOf(experimental_config) as Parameters<typeof rlSubmission>[1]
    const { submission } = rlSubmission(groups, settings, { nothing_to_train: 'train' })
    const { sequences, metrics, learningRate } = submission
    return { sequences, metrics, learningRate, trajectories: batch.trajectories, nothingToTrain }
  } catch {
    // The recording has only a part of the body, or the service accepts what the emulator does not know.
    return UNKNOWN
  }
}

/** The number of examples that the emulator assumes: `sft.sequences` of a scenario. */
const ASSUMED_EXAMPLES = 8

const UNKNOWN: SeenSubmission = {
  sequences: undefined,
  metrics: {},
  learningRate: undefined,
  trajectories: undefined,
  nothingToTrain: undefined,
}
