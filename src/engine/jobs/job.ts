import { NonFiniteNumber } from '../../text/json-text.js'
import type { trainingJobEventResponse } from '../../contract/training-job.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import type { Appointment } from '../../clock/agenda.js'
import { toIso } from '../../text/iso.js'
import type { Chance, Words } from '../../random/random.js'
import { EventIds } from './event-id.js'
import { Moments, type LatestMoments } from './moments.js'
import type { JobKind, JobRule } from '../../scenario/scenario.js'
import { Script, type Move } from './script.js'
import type { Submission } from './submission.js'

export type JobEvent = Infer<typeof trainingJobEventResponse>

/** The part of a model's record that its jobs refer to. */
export interface JobModel {
  readonly id: string
  readonly entity: string
  readonly project: string
  readonly name: string
}

export type JobStatus = 'queued' | 'running' | 'ended' | 'failed'

/**
 * A training job. Its state is changed by `advanceJob` alone (lifecycle.ts); everybody else reads.
 *
 * Events are not stored one by one: at most one `training_started`, then a number of gradient steps,
 * then at most one end is all that the order of events allows, so that is what is kept, and an
 * event's id and data are worked out from its index when they are read.
 */
export class Job {
  readonly id: string
  readonly kind: JobKind
  readonly model: JobModel
  /** 1 is the first job of its model. */
  readonly ordinal: number
  readonly createdAt: number
  /** What was submitted, and the rule that it follows. */
  readonly submission: Submission
  readonly rule: JobRule
  /** Whose key it was submitted with. */
  readonly author: string
  /** The journal entry of the request that created it. */
  readonly cause: number | undefined

  status: JobStatus = 'queued'
  startedAt: number | undefined
  endedAt: number | undefined
  errorMessage: string | undefined
  started: Readonly<Record<string, unknown>> | undefined
  gradientSteps = 0
  /** What it will do next, and what the clock holds for that. */
  upcoming: Move | undefined
  appointment: Appointment | undefined
  /** Held up until it is resumed; then its next move is so many milliseconds away. */
  stalled: { remaining: number } | undefined

  /** The step of the last checkpoint that it made, if it made one. */
  checkpointStep: number | undefined
  readonly #chance: Chance
  // Made when first asked for: thousands of jobs may be queued that no one looks at.
  #drawnWords: Words | undefined
  #script: Script | undefined
  #moments: Moments | undefined
  #eventIds: EventIds | undefined

  constructor(made: JobMade, chance: Chance) {
    this.id = made.id
    this.kind = made.kind
    this.model = made.model
    this.ordinal = made.ordinal
    this.createdAt = made.createdAt
    this.submission = made.submission
    this.rule = made.rule
    this.author = made.author
    this.cause = made.cause
    this.#chance = chance
  }

  /** What it does, move by move, and the metrics of its steps. */
  get script(): Script {
    const { rule, submission, kind } = this
    return (this.#script ??= new Script(rule, submission, { kind, words: this.#words }))
  }

  /** When its events happened, by their index. */
  get moments(): Moments {
    return (this.#moments ??= new Moments())
  }

  /** All that changes about it, but for its script and what it will do next. */
  get state(): JobState {
    const { status, startedAt, endedAt, errorMessage, started, gradientSteps, stalled } = this
    const { checkpointStep } = this
    const changing = { status, startedAt, endedAt, errorMessage, started, gradientSteps, stalled }
    return { ...changing, checkpointStep, moments: this.moments.latest }
  }

  /** Puts it into the state that an equal job was in. */
  restore(state: JobState): void {
    const { moments, ...changing } = state
    Object.assign(this, changing)
    this.moments.restore(moments)
  }

  get over(): boolean {
    return this.status === 'ended' || this.status === 'failed'
  }

  /** How many events are visible. */
  get eventCount(): number {
    return this.#stepsFrom + this.gradientSteps + (this.over ? 1 : 0)
  }

  get #ids(): EventIds {
    return (this.#eventIds ??= new EventIds(this.#words))
  }

  /** What chance decides of it, its events' ids among them. */
  get #words(): Words {
    return (this.#drawnWords ??= this.#chance.words('course', this.id))
  }

  /** The index of the first gradient step. */
  get #stepsFrom(): number {
    return this.started === undefined ? 0 : 1
  }

  /** The event at `index`, oldest first; costs the same for every index. */
  eventAt(index: number): JobEvent {
    const id = this.#ids.at(index)
    const step = index - this.#stepsFrom + 1
    if (step === 0) return { id, type: 'training_started', data: { ...this.started } }
    if (step <= this.gradientSteps) {
      return { id, type: 'gradient_step', data: this.script.metricsAt(step) }
    }
    if (this.status === 'failed') {
      return { id, type: 'training_failed', data: { error_message: this.errorMessage } }
    }
    return { id, type: 'training_ended', data: {} }
  }

  /** The event at `index` as the API answers it, where spoiled numbers keep the words for them. */
  answeredAt(index: number): JobEvent {
    const event = this.eventAt(index)
    if (event.type !== 'gradient_step') return event
    for (const name of this.script.spoiledAt(index - this.#stepsFrom + 1)) {
      const value = event.data[name]
      if (typeof value === 'number') event.data[name] = new NonFiniteNumber(value)
    }
    return event
  }

  /** The index of the event with that id, if it is visible. */
  indexOf(eventId: string): number | undefined {
    const index = this.#ids.indexOf(eventId)
    return index !== undefined && index < this.eventCount ? index : undefined
  }

  /** As the API shows it; only `id` is documented, the rest is ours (design: "job record"). */
  get record(): JobRecord {
    return {
      id: this.id,
      object: 'training_job',
      kind: this.kind,
      model_id: this.model.id,
      status: this.status,
      created_at: toIso(this.createdAt),
      training_start: this.startedAt === undefined ? null : toIso(this.startedAt),
      training_end: this.endedAt === undefined ? null : toIso(this.endedAt),
      error_message: this.errorMessage ?? null,
    }
  }
}

export interface JobState {
  status: JobStatus
  startedAt?: number | undefined
  endedAt?: number | undefined
  errorMessage?: string | undefined
  started?: Readonly<Record<string, unknown>> | undefined
  gradientSteps: number
  stalled?: { remaining: number } | undefined
  checkpointStep?: number | undefined
  moments: LatestMoments
}

export interface JobMade {
  id: string
  kind: JobKind
  model: JobModel
  ordinal: number
  createdAt: number
  submission: Submission
  rule: JobRule
  author: string
  cause: number | undefined
}

/** Times are ISO 8601 in UTC. */
export interface JobRecord {
  id: string
  object: 'training_job'
  kind: JobKind
  model_id: string
  status: JobStatus
  created_at: string
  training_start: string | null
  training_end: string | null
  error_message: string | null
}
