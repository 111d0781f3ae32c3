import type { BaseWorld } from '../base-world.js'
import { LOCAL_ACCOUNT } from '../../scenario/account.js'
import type { Checkpointing } from './checkpointing.js'
import { Job, type JobMade, type JobWorld } from './job.js'
import { movedWords, PlannedMove, stallWords } from './job-words.js'
import { OldJobs } from './old-jobs.js'
import type { Taught } from '../chat/learner/lesson.js'
import type { Lessons } from './lessons.js'
import { advanceJob, type EventMove } from './lifecycle.js'
import type { ModelState } from '../model.js'
import { chooseRule, failingRule } from './rule.js'
import type { JobKind, JobRule } from '../../scenario/scenario.js'
import { savedJobs, type SavedJobState } from './saved-jobs.js'
import { savedProgress } from './saved-progress.js'
import type { Move } from './script.js'
import type { SubmittedJob } from './submission.js'
import type { PerformMove } from './waiting.js'

/** The parts of the engine that training uses. */
export interface TrainingWorld extends BaseWorld {
  readonly checkpointing: Checkpointing
  readonly lessons: Lessons
  readonly timeline: { readonly mayMoveJobs: boolean }
}

/** Runs jobs on the clock of the world, each by its script. The jobs of a model run one after the other. */
export class Training {
  readonly #world: TrainingWorld
  readonly #jobWorld: JobWorld
  readonly #oldJobs: OldJobs
  /** How many jobs each rule of the scenario was chosen for since the start. */
  readonly chosen = new Map<JobRule, number>()

  /** @param keepJobs - How many jobs are kept. */
  constructor(world: TrainingWorld, keepJobs?: number) {
    this.#world = world
    const { clock, random, changes } = world
    this.#jobWorld = {
      clock,
      random,
      changed: (job) => changes.changed(savedProgress, job.id, job),
      factsOf: (job, move) => new PlannedMove(job, move),
    }
    this.#oldJobs = new OldJobs(world, keepJobs)
  }

  /** Creates a job and queues it after the earlier jobs of the model. Clients see no event of it yet. */
  create(
    model: ModelState,
    request: {
      kind: JobKind
      submitted: SubmittedJob
      taught?: Taught | undefined
      /** What happens to the job. Default: the rule of the scenario. */
      rule?: JobRule | undefined
      author?: string
      cause?: number | undefined
      /** If it is there, the job fails. */
      failure?: { after_steps: number; error_message: string } | undefined
    },
  ): Job {
    const { random, clock, scenario, events } = this.#world
    const { kind, author = LOCAL_ACCOUNT.user, cause } = request
    const { submission, facts } = request.submitted
    const { record } = model
    const ordinal = model.nextOrdinal
    const id = random.uuid('job', record.id, ordinal)
    const { entity, project, name, base_model } = record
    const named = { kind, ordinal, entity, project, model: name, base_model }
    const chosen = request.rule ?? chooseRule(scenario.jobs, named, facts)
    // A rule that a caller brings is kept no longer than its job.
    if (!request.rule) this.chosen.set(chosen, (this.chosen.get(chosen) ?? 0) + 1)
    const rule = request.failure
      ? failingRule(chosen, submission.sequences, request.failure)
      : chosen
    const createdAt = clock.now()
    const job = this.#make(
      { id, kind, model: record, ordinal, createdAt, rule, submission, author, cause },
      model,
    )
    this.#oldJobs.check(job)
    if (request.taught) this.#world.lessons.expect(job, request.taught)
    events.emit({ type: 'training_queued', at: createdAt, model, job, cause })
    if (model.currentJob === job) this.#planNext(model, job, createdAt)
    this.#hurry(job)
    return job
  }

  /** Restores a saved job. `planRestored` schedules its next move. */
  restore(saved: SavedJobState, model: ModelState | undefined): Job {
    const job = this.#make(saved, model)
    job.restore(saved.state, saved.place)
    job.waiting.restore(saved.upcoming)
    return job
  }

  /** Schedules the next move of a restored job at `due`, in milliseconds since the epoch. */
  planRestored(model: ModelState, job: Job, due: number | undefined): void {
    if (due !== undefined && this.#mayMove(job)) job.waiting.plan(due, this.#perform(model, job))
  }

  #make(made: JobMade, model: ModelState | undefined): Job {
    const { store, changes } = this.#world
    const job = new Job(made, this.#jobWorld)
    store.jobs.set(job.id, job)
    model?.jobs.push(job)
    changes.changed(savedJobs, job.id, job)
    this.#jobWorld.changed(job)
    return job
  }

  /** Fails all unfinished jobs of a model, so that no client polls one forever. */
  abandon(model: ModelState, error_message: string): void {
    for (const job of model.jobs) this.fail(model, job, error_message)
  }

  /** Fails a job now. Does nothing if it is over. */
  fail(model: ModelState, job: Job, error_message: string): void {
    this.#endNow(model, job, { event: 'training_failed', after: 0, error_message })
  }

  /** Ends a job successfully now. The rest of its script happens at once. */
  finish(model: ModelState, job: Job): void {
    const isOver = (): boolean => job.over
    if (isOver()) return
    let move = job.waiting.withdraw() ?? job.script.next()
    const at = this.#world.clock.now()
    for (; move && !isFinalMove(move); move = job.script.next()) {
      if (move.event !== 'stall') this.#apply(model, job, move, at)
      // Whoever hears of a move may end the job.
      if (isOver()) return
    }
    const planned = move?.event === 'training_ended' ? move : undefined
    this.#endNow(model, job, planned ?? { event: 'training_ended', after: 0, checkpoint: {} })
  }

  /** Stalls a job until it is resumed. Returns false if it is over, or stalled already. */
  stall(job: Job): boolean {
    if (job.over || job.progress.stalled) return false
    job.waiting.hold()
    this.#world.events.jobChanged(job)
    return true
  }

  /** Resumes a stalled job where it stopped. Returns false if it is not stalled. */
  resume(model: ModelState, job: Job): boolean {
    const { stalled } = job.progress
    if (job.over || !stalled) return false
    job.waiting.release()
    this.#world.events.jobChanged(job)
    if (model.currentJob !== job) return true
    const now = this.#world.clock.now()
    if (!job.waiting.move) this.#planNext(model, job, now)
    else job.waiting.plan(now + stalled.remaining, this.#perform(model, job))
    return true
  }

  /** Continues a job that waited until a client reads it. Call it after the answer was made. */
  wasRead(job: Job): void {
    const model = this.#world.store.model(job.model.id)
    const { move } = job.waiting
    // Under `auto`, a poll stops right before the stall.
    if (move?.event === 'stall' && move.until && move.after === 0) this.moveNow(job)
    if (!model || job.progress.stalled?.until !== 'read') return
    this.resume(model, job)
    this.#hurry(job)
  }

  /** Under the clock `instant`, runs a job to its end, or until a client must read it. */
  #hurry(job: Job): void {
    const { clock } = this.#world
    if (clock.mode !== 'instant') return
    while (!job.over && job.progress.stalled?.until !== 'read' && clock.next());
  }

  /** Performs the next move of a job now. Returns false if it has none. */
  moveNow(job: Job): boolean {
    const { clock, store } = this.#world
    const { move } = job.waiting
    if (!move || !this.#mayMove(job)) return false
    this.#perform(store.model(job.model.id)!, job)(move, clock.now())
    return true
  }

  /** Whether a job has a next move, and nothing but time is in its way. */
  #mayMove(job: Job): boolean {
    if (job.over || job.progress.stalled || !job.waiting.move) return false
    return this.#world.store.model(job.model.id)?.currentJob === job
  }

  /** How many moves a job has left, at most `most`. It makes none of them. */
  movesLeft(job: Job, most: number): number {
    if (most === 0 || !this.#mayMove(job)) return 0
    const { script } = job
    const { place } = script
    // The upcoming move was taken from the script before.
    let left = 1
    while (left < most && script.next()) left++
    script.resumeFrom(place)
    return left
  }

  /** Whether a scheduled task can change the job. */
  willMove(job: Job): boolean {
    if (job.over) return false
    const current = this.#world.store.model(job.model.id)?.currentJob
    return current?.waiting.due !== undefined || this.#world.timeline.mayMoveJobs
  }

  /** Plans the next move of a job. `from` is the time of the move before. */
  #planNext(model: ModelState, job: Job, from: number): void {
    job.waiting.planNext(from, this.#perform(model, job))
  }

  /** Returns what performs a move of a job. */
  #perform(model: ModelState, job: Job): PerformMove {
    return (move, at) => {
      job.waiting.withdraw()
      if (move.event === 'stall') {
        this.#stallBy(move, job)
        return
      }
      this.#apply(model, job, move, at)
      if (job.over) this.#planFollowing(model, at)
      else this.#planNext(model, job, at)
    }
  }

  #stallBy({ until }: Extract<Move, { event: 'stall' }>, job: Job): void {
    const { events, journal } = this.#world
    job.waiting.hold(until && { until })
    events.jobChanged(job)
    const why = until ? stallWords({ until }) : 'stalled'
    journal.note(`${job.model.name} ${job.id.slice(0, 8)} ${why}`, job.cause)
  }

  #endNow(model: ModelState, job: Job, move: EventMove): void {
    if (job.over) return
    const wasCurrent = model.currentJob === job
    job.waiting.withdraw()
    const at = this.#world.clock.now()
    this.#apply(model, job, move, at)
    if (wasCurrent) this.#planFollowing(model, at)
  }

  #planFollowing(model: ModelState, at: number): void {
    const following = model.currentJob
    if (following) this.#planNext(model, following, at)
  }

  #apply(model: ModelState, job: Job, move: Exclude<Move, { event: 'stall' }>, at: number): void {
    const { checkpointing, journal, events } = this.#world
    this.#jobWorld.changed(job)
    if (move.event === 'checkpoint') {
      checkpointing.add(model, { ...move.checkpoint, job, cause: job.cause })
      return
    }
    // The checkpoint is stored first, because clients read it as soon as they see the event.
    if (move.event === 'training_ended' && move.checkpoint) {
      checkpointing.add(model, { ...move.checkpoint, job, cause: job.cause })
    }
    advanceJob(job, move, at)
    const step = job.progress.gradientSteps
    const { name } = job.model
    const cause = journal.job(
      { jobId: job.id, modelName: name, event: move.event, cause: job.cause },
      () => movedWords(job, move, step),
    )
    events.emit({ type: move.event, at, model, job, cause })
  }
}

function isFinalMove({ event }: Move): boolean {
  return event === 'training_ended' || event === 'training_failed'
}
