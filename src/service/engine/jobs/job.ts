import type { trainingJobResponse } from '../../contract/training-job.js'
import type { Infer } from '../../contract/pydantic/schema.js'
import { toIso } from '../../../base/text/iso.js'
import type { SeededRandom, Hash128 } from '../../../base/random/random.js'
import { JobEvents } from './job-events.js'
import type { JobProgress, JobState } from './job-state.js'
import type { JobKind, JobRule } from '../../scenario/scenario.js'
import { Script, type ScriptPlace } from './script.js'
import type { Submission } from './submission.js'
import { Waiting, type WaitingWorld } from './waiting.js'

/** A job, as the API sends it. */
export type JobRecord = Infer<typeof trainingJobResponse>

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

/** Whether a job in a state is over: it has ended or failed. */
export function isFinal(status: JobStatus): boolean {
  return status === 'ended' || status === 'failed'
}

/**
 * A training job. Only `advanceJob` (lifecycle.ts) changes its state.
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

  /** What happened so far. It is saved as it is. */
  readonly progress: JobProgress = {
    status: 'queued',
    startedAt: undefined,
    endedAt: undefined,
    errorMessage: undefined,
    started: undefined,
    gradientSteps: 0,
    stalled: undefined,
    checkpointStep: undefined,
  }
  /** Its events, as clients see them. */
  readonly events = new JobEvents(this)
  /** Whether it was there when its world was restored. */
  isRestored = false
  /** Whether it was over then: nothing of it happened since. */
  overBefore = false
  /** What it waits for. */
  readonly waiting: Waiting<Job>
  readonly #random: SeededRandom
  // These are made when they are first read, because thousands of jobs may be queued that nobody reads.
  #drawnHash: Hash128 | undefined
  #script: Script | undefined
  /** Where the script resumes when it is made. */
  #place: ScriptPlace = [0, 0, 0]

  constructor(made: JobMade, world: JobWorld) {
    this.id = made.id
    this.kind = made.kind
    this.model = made.model
    this.ordinal = made.ordinal
    this.createdAt = made.createdAt
    this.submission = made.submission
    this.rule = made.rule
    this.author = made.author
    this.cause = made.cause
    this.waiting = new Waiting<Job>(this, world)
    this.#random = world.random
  }

  /** The moves of the job, and the metrics of its steps. */
  get script(): Script {
    if (!this.#script) {
      const { rule, submission, kind } = this
      this.#script = new Script(rule, submission, { kind, hash: this.hash })
      this.#script.resumeFrom(this.#place)
    }
    return this.#script
  }

  /** The place in the script, to save. */
  get place(): ScriptPlace {
    return this.#script?.place ?? this.#place
  }

  /** Restores the saved state of the same job, and its place in the script. */
  restore({ moments, ...progress }: JobState, place: ScriptPlace): void {
    this.#place = place
    Object.assign(this.progress, progress)
    this.events.restore(moments)
    this.isRestored = true
    this.overBefore = this.over
  }

  /** Whether the job has ended or failed. */
  get over(): boolean {
    return isFinal(this.progress.status)
  }

  /** Whether its next move follows without a pause in its timeline, and without a stall. */
  get goesOnWithoutPause(): boolean {
    const { over, progress, waiting } = this
    const { move } = waiting
    if (over || progress.stalled || move === undefined) return false
    return move.paused === undefined && move.event !== 'stall'
  }

  /** 128 random bits, from which the event ids and metrics of the job are drawn. */
  get hash(): Hash128 {
    return (this.#drawnHash ??= this.#random.hash('course', this.id))
  }

  /** The record that the API sends. */
  get record(): JobRecord {
    const { status, startedAt, endedAt, errorMessage } = this.progress
    return {
      id: this.id,
      object: 'training_job',
      kind: this.kind,
      model_id: this.model.id,
      status,
      created_at: toIso(this.createdAt),
      training_start: startedAt === undefined ? null : toIso(startedAt),
      training_end: endedAt === undefined ? null : toIso(endedAt),
      error_message: errorMessage ?? null,
    }
  }
}

/** What a job needs of its world. */
export interface JobWorld extends WaitingWorld<Job> {
  readonly random: SeededRandom
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
