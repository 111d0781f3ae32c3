import { NonFiniteNumber, nonFiniteJson } from '../../../base/text/json-text.js'
import type { trainingJobEventResponse, trainingJobResponse } from '../../contract/training-job.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import type { ScheduledTask } from '../../../base/clock/timer-queue.js'
import { toIso } from '../../../base/text/iso.js'
import type { SeededRandom, Hash128 } from '../../../base/random/random.js'
import { EventIds } from './event-id.js'
import type { JobState, Stall } from './job-state.js'
import { Moments, type LatestMoments } from './moments.js'
import type { JobKind, JobRule } from '../../scenario/scenario.js'
import { Script, type Move, type ScriptPlace } from './script.js'
import type { Submission } from './submission.js'

/** An event of a job, as the API lists it. */
export type JobEvent = Infer<typeof trainingJobEventResponse>

/** A job, as the API sends it. */
export type JobRecord = Infer<typeof trainingJobResponse>

/** An event as text. */
export interface WrittenEvent {
  id: string
  json: string
}

/** The part of a model's record that its jobs refer to. */
export interface JobModel {
  /** The id of the model. */
  readonly id: string
  /** The team. */
  readonly entity: string
  /** The project. */
  readonly project: string
  /** The name of the model. */
  readonly name: string
}

/** The state of a job. `ended` means success. */
export type JobStatus = 'queued' | 'running' | 'ended' | 'failed'

/**
 * A training job. Only `advanceJob` (lifecycle.ts) changes its state.
 *
 * Events are not stored one by one. A job has at most one `training_started`, then gradient steps, then at
 * most one end. So it stores only how many of them happened, and computes the id and the data of an event from
 * its index.
 */
export class Job {
  readonly id: string
  readonly kind: JobKind
  readonly model: JobModel
  /** The number of the job among the jobs of its model. 1 is the first. */
  readonly ordinal: number
  readonly createdAt: number
  readonly submission: Submission
  /** The rule of the scenario that applies. */
  readonly rule: JobRule
  /** The user whose key submitted it. */
  readonly author: string
  /** The id of the journal entry of the request that created it. */
  readonly cause: number | undefined

  status: JobStatus = 'queued'
  startedAt: number | undefined
  endedAt: number | undefined
  errorMessage: string | undefined
  /** The data of `training_started`. Undefined before it. */
  started: Readonly<Record<string, unknown>> | undefined
  /** The number of gradient steps so far. */
  gradientSteps = 0
  /** The next move. */
  upcoming: Move | undefined
  /** The task on the clock that performs the next move. */
  nextTask: ScheduledTask | undefined
  /** Set while the job is stalled. */
  stalled: Stall | undefined

  /** The step of the last checkpoint that the job added. */
  checkpointStep: number | undefined
  readonly #random: SeededRandom
  // These are made when they are first read, because thousands of jobs may be queued that nobody reads.
  #drawnHash: Hash128 | undefined
  #script: Script | undefined
  /** Where the script resumes when it is made. */
  #place: ScriptPlace = [0, 0, 0]
  #moments: Moments | undefined
  /** What `#moments` begins with when it is made. */
  #savedMoments: LatestMoments | undefined
  #eventIds: EventIds | undefined

  constructor(made: JobMade, random: SeededRandom) {
    this.id = made.id
    this.kind = made.kind
    this.model = made.model
    this.ordinal = made.ordinal
    this.createdAt = made.createdAt
    this.submission = made.submission
    this.rule = made.rule
    this.author = made.author
    this.cause = made.cause
    this.#random = random
  }

  /** The moves of the job, and the metrics of its steps. */
  get script(): Script {
    if (!this.#script) {
      const { rule, submission, kind } = this
      this.#script = new Script(rule, submission, { kind, hash: this.#hash })
      this.#script.resumeFrom(this.#place)
    }
    return this.#script
  }

  /** The place in the script, to save. */
  get place(): ScriptPlace {
    return this.#script?.place ?? this.#place
  }

  /** The times of its events, by index. */
  get moments(): Moments {
    return (this.#moments ??= new Moments(this.#savedMoments))
  }

  /** The state to save, without the script and the next move. */
  get state(): JobState {
    const { status, startedAt, endedAt, errorMessage, started, gradientSteps, stalled } = this
    const { checkpointStep } = this
    const changing = { status, startedAt, endedAt, errorMessage, started, gradientSteps, stalled }
    return { ...changing, checkpointStep, moments: this.moments.latest }
  }

  /** Restores the saved state of the same job, and its place in the script. */
  restore(state: JobState, place: ScriptPlace): void {
    this.#place = place
    this.#savedMoments = state.moments
    this.status = state.status
    this.startedAt = state.startedAt
    this.endedAt = state.endedAt
    this.errorMessage = state.errorMessage
    this.started = state.started
    this.gradientSteps = state.gradientSteps
    this.stalled = state.stalled
    this.checkpointStep = state.checkpointStep
  }

  /** Whether the job has ended or failed. */
  get over(): boolean {
    return this.status === 'ended' || this.status === 'failed'
  }

  /** Whether its next move follows without a pause in its timeline, and without a stall. */
  get goesOnWithoutPause(): boolean {
    const { over, stalled, upcoming } = this
    if (over || stalled || upcoming === undefined) return false
    return upcoming.paused === undefined && upcoming.event !== 'stall'
  }

  /** The number of events that clients can see. */
  get eventCount(): number {
    return this.#stepsFrom + this.gradientSteps + (this.over ? 1 : 0)
  }

  get #ids(): EventIds {
    return (this.#eventIds ??= new EventIds(this.#hash))
  }

  /** 128 random bits, from which the event ids and metrics of the job are drawn. */
  get #hash(): Hash128 {
    return (this.#drawnHash ??= this.#random.hash('course', this.id))
  }

  /** The index of the first gradient step. */
  get #stepsFrom(): number {
    return this.started === undefined ? 0 : 1
  }

  /** Returns the event at `index`. The oldest event has index 0. */
  eventAt(index: number): JobEvent {
    const id = this.#ids.at(index)
    const step = index - this.#stepsFrom + 1
    if (step === 0) return { id, type: 'training_started', data: { ...this.started } }
    if (step <= this.gradientSteps) {
      return { id, type: 'gradient_step', data: this.script.metrics.at(step) }
    }
    if (this.status === 'failed') {
      return { id, type: 'training_failed', data: { error_message: this.errorMessage } }
    }
    return { id, type: 'training_ended', data: {} }
  }

  /** Returns the event as the API sends it: with `NaN` and `Infinity` if the scenario has bad values for it. */
  answeredAt(index: number): JobEvent {
    const event = this.eventAt(index)
    if (event.type !== 'gradient_step') return event
    for (const name of this.script.metrics.spoiledAt(index - this.#stepsFrom + 1)) {
      const value = event.data[name]
      if (typeof value === 'number') event.data[name] = new NonFiniteNumber(value)
    }
    return event
  }

  /** Returns the JSON of `answeredAt(index)`, and its id. */
  jsonEventAt(index: number): WrittenEvent {
    const step = index - this.#stepsFrom + 1
    const isStep = step > 0 && step <= this.gradientSteps
    if (!isStep || this.script.metrics.spoiledAt(step).length > 0) {
      const event = this.answeredAt(index)
      return { id: event.id, json: nonFiniteJson(event) }
    }
    const id = this.#ids.at(index)
    const data = this.script.metrics.jsonAt(step)
    return { id, json: `{"id":"${id}","type":"gradient_step","data":${data}}` }
  }

  /** Returns the index of the event with that id. Undefined if clients cannot see such an event. */
  indexOf(eventId: string): number | undefined {
    const index = this.#ids.indexOf(eventId)
    return index !== undefined && index < this.eventCount ? index : undefined
  }

  /** The record that the API sends. */
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

/** What a job does that stalls: `stalls`, or what it waits for. */
export function stallWords({ until }: Pick<Stall, 'until'>): string {
  return until === 'read' ? 'waits until a client reads it' : 'stalls'
}

/** Says why a stalled job does not go on, about the job as `it`. */
export function stallText({ until }: Stall): string {
  return until === 'read' ? 'it waits until a client reads its events' : 'it is stalled'
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
