import type { SeededRandom } from '../../random/random.js'
import type { Clock } from '../../clock/clock.js'
import { LOCAL_ACCOUNT } from '../../scenario/account.js'
import type { Checkpointing } from './checkpointing.js'
import { counted } from '../../text/counted.js'
import type { EngineEvents } from '../engine-events.js'
import { Job, type JobMade, type JobState } from './job.js'
import type { Journal } from '../journal.js'
import { advanceJob, type EventMove } from './lifecycle.js'
import type { ModelState } from '../model.js'
import { chooseRule } from './rule.js'
import type { JobKind, Scenario } from '../../scenario/scenario.js'
import type { Move, Script, ScriptPlace } from './script.js'
import type { Changes } from '../snapshot/changes.js'
import type { Submitted } from './submission.js'
import type { Store } from '../store.js'

/** What training works on. */
export interface TrainingWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly store: Store
  readonly journal: Journal
  readonly events: EngineEvents
  readonly checkpointing: Checkpointing
  readonly changes: Changes
  /** Read when a job is created: a job keeps the script that it began with. */
  readonly scenario: Scenario
}

/**
 * Plays jobs: one after the other on each model, each by its script, on the world's clock.
 */
export class Training {
  readonly #world: TrainingWorld
  /** How many things that may move a stalled job are still to come. */
  interventions = 0

  constructor(world: TrainingWorld) {
    this.#world = world
  }

  /** Creates a job and queues it behind the model's earlier ones. No event is visible yet. */
  create(
    model: ModelState,
    request: { kind: JobKind; submitted: Submitted; author?: string; cause?: number },
  ): Job {
    const { random, clock, scenario, events } = this.#world
    const { kind, author = LOCAL_ACCOUNT.user, cause } = request
    const { submission, facts } = request.submitted
    const { record } = model
    const ordinal = model.jobs.length + 1
    const id = random.uuid('job', record.id, ordinal)
    const { entity, project, name, base_model } = record
    const named = { kind, ordinal, entity, project, model: name, base_model }
    const rule = chooseRule(scenario.jobs, named, facts)
    const createdAt = clock.now()
    const job = this.#make(
      { id, kind, model: record, ordinal, createdAt, rule, submission, author, cause },
      model,
    )
    events.emit({ type: 'training_queued', at: clock.now(), model, job, cause })
    if (model.currentJob === job) this.#planNext(model, job, clock.now())
    if (clock.mode === 'instant') while (!job.over && clock.next());
    return job
  }

  /** A job that was kept, as it was; `goOn` plans what it will do next. */
  restore(saved: SavedJobState, model: ModelState | undefined): Job {
    const job = this.#make(saved, model)
    job.restore(saved.state)
    job.script.resumeFrom(saved.place)
    job.upcoming = saved.upcoming
    return job
  }

  /** Plans what a restored job will do next, at `due`. */
  planRestored(model: ModelState, job: Job, due: number | undefined): void {
    if (job.over || job.stalled || model.currentJob !== job) return
    if (job.upcoming && due !== undefined) this.#plan(model, job, { move: job.upcoming, at: due })
  }

  #make(made: JobMade, model: ModelState | undefined): Job {
    const { random, store, changes } = this.#world
    const job = new Job(made, random)
    store.jobs.set(job.id, job)
    model?.jobs.push(job)
    changes.job(job)
    changes.progress(job)
    return job
  }

  /** Ends every job of a model that is not over, so that no client polls one for ever. */
  abandon(model: ModelState, error_message: string): void {
    for (const job of model.jobs) this.fail(model, job, error_message)
  }

  /** Ends a job now, as a failure. Nothing happens where it is over. */
  fail(model: ModelState, job: Job, error_message: string): void {
    this.#endNow(model, job, { event: 'training_failed', after: 0, error_message })
  }

  /** Brings a job to a good end now: what was to come of its script happens at once. */
  finish(model: ModelState, job: Job): void {
    if (job.over) return
    let move = this.#withdraw(job)
    const at = this.#world.clock.now()
    for (; move && !isEnd(move); move = job.script.next()) {
      if (move.event !== 'stall') this.#apply(model, job, move, at)
    }
    const planned = move?.event === 'training_ended' ? move : undefined
    this.#endNow(model, job, planned ?? { event: 'training_ended', after: 0, checkpoint: {} })
  }

  /** Holds a job up until it is resumed. */
  stall(job: Job): void {
    if (job.over || job.stalled) return
    const { clock } = this.#world
    const remaining = Math.max(0, (job.nextTask?.at ?? clock.now()) - clock.now())
    clock.cancel(job.nextTask)
    job.nextTask = undefined
    job.stalled = { remaining }
    this.#changed(job)
  }

  /** Lets a stalled job go on where it stood. */
  resume(model: ModelState, job: Job): void {
    const { stalled } = job
    if (job.over || !stalled) return
    job.stalled = undefined
    this.#changed(job)
    if (model.currentJob !== job) return
    const now = this.#world.clock.now()
    if (job.upcoming) this.#plan(model, job, { move: job.upcoming, at: now + stalled.remaining })
    else this.#planNext(model, job, now)
  }

  /** Makes a job's next move happen now. False where it has none. */
  moveNow(job: Job): boolean {
    const { clock, store } = this.#world
    const model = store.model(job.model.id)
    if (job.over || job.stalled || model?.currentJob !== job || !job.upcoming) return false
    clock.cancel(job.nextTask)
    this.#perform(model, job, { move: job.upcoming, at: clock.now() })
    return true
  }

  /** Whether anything that is still to come can bring news of the job. */
  willMove(job: Job): boolean {
    if (job.over) return false
    const current = this.#world.store.model(job.model.id)?.currentJob
    return current?.nextTask !== undefined || this.interventions > 0
  }

  /** Plans the job's next move, counted from `from`, the moment of the one before. */
  #planNext(model: ModelState, job: Job, from: number): void {
    const move = job.script.next()
    job.upcoming = move
    job.nextTask = undefined
    this.#world.changes.progress(job)
    if (move === undefined) return
    // A creation makes no event visible, not even one that is due at once.
    const soonest = job.eventCount === 0 ? 1 : 0
    const at = from + Math.max(soonest, move.after)
    if (job.stalled) job.stalled.remaining = at - from
    else this.#plan(model, job, { move, at })
  }

  #plan(model: ModelState, job: Job, planned: Planned): void {
    job.nextTask = this.#world.clock.at(planned.at, () => this.#perform(model, job, planned))
  }

  #perform(model: ModelState, job: Job, { move, at }: Planned): void {
    job.upcoming = undefined
    job.nextTask = undefined
    if (move.event === 'stall') {
      job.stalled = { remaining: 0 }
      this.#changed(job)
      this.#world.journal.note(`${job.model.name} ${job.id.slice(0, 8)} stalled`, job.cause)
      return
    }
    this.#apply(model, job, move, at)
    if (job.over) this.#planFollowing(model, at)
    else this.#planNext(model, job, at)
  }

  #changed(job: Job): void {
    const { changes, events } = this.#world
    changes.progress(job)
    events.jobChanged(job)
  }

  #endNow(model: ModelState, job: Job, move: EventMove): void {
    if (job.over) return
    const wasCurrent = model.currentJob === job
    this.#withdraw(job)
    const at = this.#world.clock.now()
    this.#apply(model, job, move, at)
    if (wasCurrent) this.#planFollowing(model, at)
  }

  /** Takes back what was planned, and says what it was. */
  #withdraw(job: Job): Move | undefined {
    const { upcoming = job.script.next() } = job
    this.#world.clock.cancel(job.nextTask)
    job.nextTask = undefined
    job.upcoming = undefined
    job.stalled = undefined
    return upcoming
  }

  #planFollowing(model: ModelState, at: number): void {
    const following = model.currentJob
    if (following) this.#planNext(model, following, at)
  }

  #apply(model: ModelState, job: Job, move: Exclude<Move, { event: 'stall' }>, at: number): void {
    const { changes, checkpointing, journal, events } = this.#world
    changes.progress(job)
    if (move.event === 'checkpoint') {
      checkpointing.add(model, { ...move.checkpoint, job, cause: job.cause })
      return
    }
    // Stored before the event is visible: a client asks for it the instant it sees the event.
    if (move.event === 'training_ended' && move.checkpoint) {
      checkpointing.add(model, { ...move.checkpoint, job, cause: job.cause })
    }
    advanceJob(job, move, at)
    const step = job.gradientSteps
    const { name } = job.model
    const cause = journal.job(
      { jobId: job.id, modelName: name, event: move.event, cause: job.cause },
      () => describe(job.script, move, step),
    )
    events.emit({ type: move.event, at, model, job, cause })
  }
}

/** A job that was kept: how it was made, and how far it had come. */
export interface SavedJobState extends JobMade {
  state: JobState
  place: ScriptPlace
  upcoming: Move | undefined
}

interface Planned {
  move: Move
  /** Milliseconds since the epoch. */
  at: number
}

function isEnd({ event }: Move): boolean {
  return event === 'training_ended' || event === 'training_failed'
}

function describe(script: Script, move: EventMove, step: number): string {
  switch (move.event) {
    case 'training_started':
      return `started, ${counted(script.numSequences, 'sequence')}`
    case 'gradient_step': {
      const { loss, reward } = script.metricsAt(step)
      const figures = [`step ${step} of ${script.numSequences}`]
      if (loss !== undefined) figures.push(`loss ${loss}`)
      if (reward !== undefined) figures.push(`reward ${reward}`)
      return figures.join(', ')
    }
    case 'training_ended':
      return 'ended'
    case 'training_failed':
      return `failed: ${move.error_message}`
  }
}
