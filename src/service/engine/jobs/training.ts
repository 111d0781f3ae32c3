import type { BaseWorld } from '../base-world.js'
import type { TaskFacts } from '../../../base/clock/timer-queue.js'
import { LOCAL_ACCOUNT } from '../../scenario/account.js'
import type { Checkpointing } from './checkpointing.js'
import { counted } from '../../../base/text/counted.js'
import { Job, stallWords, type JobMade } from './job.js'
import { OldJobs } from './old-jobs.js'
import type { Taught } from '../chat/learner/lesson.js'
import type { Lessons } from './lessons.js'
import type { StepEntry } from '../journal-entry.js'
import type { JobEventWords } from '../journal-records.js'
import { advanceJob, type EventMove } from './lifecycle.js'
import type { ModelState } from '../model.js'
import { chooseRule, failingRule } from './rule.js'
import type { JobKind, JobRule } from '../../scenario/scenario.js'
import { savedJobs, type SavedJobState } from './saved-jobs.js'
import { savedProgress } from './saved-progress.js'
import type { Move } from './script.js'
import type { SubmittedJob } from './submission.js'

/** The parts of the engine that training uses. */
export interface TrainingWorld extends BaseWorld {
  readonly checkpointing: Checkpointing
  readonly lessons: Lessons
}

/** Runs jobs on the clock of the world, each by its script. The jobs of a model run one after the other. */
export class Training {
  readonly #world: TrainingWorld
  readonly #oldJobs: OldJobs
  /** How many jobs each rule of the scenario was chosen for since the start. */
  readonly chosen = new Map<JobRule, number>()
  /** The number of scheduled timeline entries that may resume a stalled job. */
  interventions = 0

  /** @param keepJobs - How many jobs are kept. */
  constructor(world: TrainingWorld, keepJobs?: number) {
    this.#world = world
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
    job.upcoming = saved.upcoming
    return job
  }

  /** Schedules the next move of a restored job at `due`, in milliseconds since the epoch. */
  planRestored(model: ModelState, job: Job, due: number | undefined): void {
    if (job.over || job.progress.stalled || model.currentJob !== job) return
    if (job.upcoming && due !== undefined) this.#plan(model, job, { move: job.upcoming, at: due })
  }

  #make(made: JobMade, model: ModelState | undefined): Job {
    const { random, store, changes } = this.#world
    const job = new Job(made, random)
    store.jobs.set(job.id, job)
    model?.jobs.push(job)
    changes.changed(savedJobs, job.id, job)
    changes.changed(savedProgress, job.id, job)
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
    if (job.over) return
    let move = this.#withdraw(job)
    const at = this.#world.clock.now()
    for (; move && !isFinalMove(move); move = job.script.next()) {
      if (move.event !== 'stall') this.#apply(model, job, move, at)
    }
    const planned = move?.event === 'training_ended' ? move : undefined
    this.#endNow(model, job, planned ?? { event: 'training_ended', after: 0, checkpoint: {} })
  }

  /** Stalls a job until it is resumed. */
  stall(job: Job): void {
    if (job.over || job.progress.stalled) return
    const { clock } = this.#world
    const remaining = Math.max(0, (job.nextTask?.at ?? clock.now()) - clock.now())
    clock.cancel(job.nextTask)
    job.nextTask = undefined
    job.progress.stalled = { remaining }
    this.#changed(job)
  }

  /** Resumes a stalled job where it stopped. */
  resume(model: ModelState, job: Job): void {
    const { stalled } = job.progress
    if (job.over || !stalled) return
    job.progress.stalled = undefined
    this.#changed(job)
    if (model.currentJob !== job) return
    const now = this.#world.clock.now()
    if (job.upcoming) this.#plan(model, job, { move: job.upcoming, at: now + stalled.remaining })
    else this.#planNext(model, job, now)
  }

  /** Continues a job that waited until a client reads it. Call it after the answer was made. */
  wasRead(job: Job): void {
    const model = this.#world.store.model(job.model.id)
    const { upcoming } = job
    // Under `auto`, a poll stops right before the stall.
    if (upcoming?.event === 'stall' && upcoming.until && upcoming.after === 0) this.moveNow(job)
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
    const model = store.model(job.model.id)
    if (job.over || job.progress.stalled || model?.currentJob !== job || !job.upcoming) return false
    clock.cancel(job.nextTask)
    this.#perform(model, job, { move: job.upcoming, at: clock.now() })
    return true
  }

  /** Whether a job has that many moves left. It makes none of them. */
  hasMoves(job: Job, moves: number): boolean {
    if (moves === 0) return true
    const model = this.#world.store.model(job.model.id)
    if (job.over || job.progress.stalled || model?.currentJob !== job || !job.upcoming) return false
    const { script } = job
    const { place } = script
    // The upcoming move was taken from the script before.
    let left = 1
    while (left < moves && script.next()) left++
    script.resumeFrom(place)
    return left === moves
  }

  /** Whether a scheduled task can change the job. */
  willMove(job: Job): boolean {
    if (job.over) return false
    const current = this.#world.store.model(job.model.id)?.currentJob
    return current?.nextTask !== undefined || this.interventions > 0
  }

  /** Schedules the next move of a job. `from` is the time of the move before. */
  #planNext(model: ModelState, job: Job, from: number): void {
    const move = job.script.next()
    job.upcoming = move
    job.nextTask = undefined
    this.#world.changes.changed(savedProgress, job.id, job)
    if (move === undefined) return
    // Even an event that is due at once comes after the response to the creation of the job.
    const soonest = job.events.count === 0 ? 1 : 0
    const at = from + Math.max(soonest, move.after)
    if (job.progress.stalled) job.progress.stalled.remaining = at - from
    else this.#plan(model, job, { move, at })
  }

  #plan(model: ModelState, job: Job, planned: ScheduledMove): void {
    const run = (): void => this.#perform(model, job, planned)
    job.nextTask = this.#world.clock.at(planned.at, run, new PlannedMove(job, planned.move))
  }

  #perform(model: ModelState, job: Job, { move, at }: ScheduledMove): void {
    job.upcoming = undefined
    job.nextTask = undefined
    if (move.event === 'stall') {
      job.progress.stalled = { remaining: 0, ...(move.until && { until: move.until }) }
      this.#changed(job)
      const why = move.until ? stallWords(move) : 'stalled'
      this.#world.journal.note(`${job.model.name} ${job.id.slice(0, 8)} ${why}`, job.cause)
      return
    }
    this.#apply(model, job, move, at)
    if (job.over) this.#planFollowing(model, at)
    else this.#planNext(model, job, at)
  }

  #changed(job: Job): void {
    const { changes, events } = this.#world
    changes.changed(savedProgress, job.id, job)
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

  /** Cancels the next move and returns it. */
  #withdraw(job: Job): Move | undefined {
    const { upcoming = job.script.next() } = job
    this.#world.clock.cancel(job.nextTask)
    job.nextTask = undefined
    job.upcoming = undefined
    job.progress.stalled = undefined
    return upcoming
  }

  #planFollowing(model: ModelState, at: number): void {
    const following = model.currentJob
    if (following) this.#planNext(model, following, at)
  }

  #apply(model: ModelState, job: Job, move: Exclude<Move, { event: 'stall' }>, at: number): void {
    const { changes, checkpointing, journal, events } = this.#world
    changes.changed(savedProgress, job.id, job)
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
      () => describeMove(job, move, step),
    )
    events.emit({ type: move.event, at, model, job, cause })
  }
}

interface ScheduledMove {
  move: Move
  /** Milliseconds since the epoch. */
  at: number
}

/** What a scheduled move will do. A class: one is created for each move. */
class PlannedMove implements TaskFacts {
  readonly kind = 'job'
  readonly #job: Job
  readonly #move: Move

  constructor(job: Job, move: Move) {
    this.#job = job
    this.#move = move
  }

  get jobId(): string {
    return this.#job.id
  }

  get cause(): number | undefined {
    return this.#job.cause
  }

  describe(): string {
    return `${this.#job.model.name} ${this.#job.id.slice(0, 8)} ${formatPlanned(this.#job, this.#move)}`
  }
}

/** Formats a move that did not happen yet. */
function formatPlanned({ progress: { gradientSteps }, script }: Job, move: Move): string {
  switch (move.event) {
    case 'training_started':
      return 'starts'
    case 'gradient_step':
      return `step ${gradientSteps + 1} of ${script.numSequences}`
    case 'checkpoint':
      return 'adds a checkpoint'
    case 'stall':
      return stallWords(move)
    case 'training_ended':
      return 'ends'
    case 'training_failed':
      return `fails: ${move.error_message}`
  }
}

function isFinalMove({ event }: Move): boolean {
  return event === 'training_ended' || event === 'training_failed'
}

function describeMove({ script, submission }: Job, move: EventMove, step: number): JobEventWords {
  switch (move.event) {
    case 'training_started': {
      const why = submission.nothingToTrain
      const nothing = why === undefined ? '' : `; nothing to train: ${why}`
      return { text: `started, ${counted(script.numSequences, 'sequence')}${nothing}` }
    }
    case 'gradient_step': {
      const count = script.numSequences
      const all = script.metrics.at(step)
      const metrics = ['loss', 'reward'].flatMap((name): StepEntry['metrics'] => {
        const { [name]: value } = all
        return value === undefined ? [] : [[name, value]]
      })
      const text = [`step ${step} of ${count}`, ...metrics.map((each) => each.join(' '))].join(', ')
      return { text, step: { number: step, count, metrics } }
    }
    case 'training_ended':
      return { text: 'ended' }
    case 'training_failed':
      return { text: `failed: ${move.error_message}` }
  }
}
