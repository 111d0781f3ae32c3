import type { Chance } from '../world/random.js'
import type { Clock } from '../world/clock.js'
import { counted } from './counted.js'
import { Job } from './job.js'
import type { Journal } from './journal.js'
import { advanceJob } from './lifecycle.js'
import type { JobKind, Scenario } from './scenario.js'
import { chooseRule, Script, type Move, type Submission } from './script.js'
import type { ModelState } from './model.js'
import type { Store } from './store.js'

/** What training works on. */
export interface TrainingWorld {
  readonly clock: Clock
  readonly chance: Chance
  readonly store: Store
  readonly journal: Journal
  /** Read when a job is created: a job keeps the script that it began with. */
  readonly scenario: Scenario
}

/**
 * Plays jobs: one after the other on each model, each by its script, on the world's clock.
 */
export class Training {
  readonly #world: TrainingWorld

  constructor(world: TrainingWorld) {
    this.#world = world
  }

  /** Creates a job and queues it behind the model's earlier ones. No event is visible yet. */
  create(
    model: ModelState,
    request: { kind: JobKind; submission: Submission; cause?: number },
  ): Job {
    const { chance, clock, scenario, store } = this.#world
    const { kind, submission, cause } = request
    const { record } = model
    const ordinal = model.jobs.length + 1
    const id = chance.uuid('job', record.id, ordinal)
    const { name, base_model } = record
    const rule = chooseRule(scenario.jobs, { kind, ordinal, base_model, model: name })
    const words = chance.words('course', id)
    const job = new Job({
      id,
      kind,
      model: record,
      ordinal,
      createdAt: clock.now(),
      script: new Script(rule, submission, { kind, words }),
      cause,
      eventWords: words,
    })
    store.jobs.set(id, job)
    model.jobs.push(job)
    if (model.currentJob === job) this.#planNext(model, job, clock.now())
    if (clock.mode === 'instant') while (!job.over && clock.next());
    return job
  }

  /** Ends every job of a model that is not over, so that no client polls one for ever. */
  abandon(model: ModelState, error_message: string): void {
    const now = this.#world.clock.now()
    for (const job of model.jobs) {
      if (job.over) continue
      this.#world.clock.cancel(job.appointment)
      this.#apply(model, job, {
        move: { event: 'training_failed', after: 0, error_message },
        at: now,
      })
    }
  }

  /** Whether anything that is still to come can bring news of the job. */
  willMove(job: Job): boolean {
    const current = this.#world.store.model(job.model.id)?.currentJob
    return !job.over && current?.appointment !== undefined
  }

  /** Plans the job's next move, counted from `from`, the moment of the one before. */
  #planNext(model: ModelState, job: Job, from: number): void {
    const move = job.script.next()
    job.appointment = undefined
    if (move === undefined) return
    // A creation makes no event visible, not even one that is due at once.
    const soonest = job.eventCount === 0 ? 1 : 0
    const at = from + Math.max(soonest, move.after)
    job.appointment = this.#world.clock.at(at, () => {
      this.#apply(model, job, { move, at })
      if (!job.over) return this.#planNext(model, job, at)
      const following = model.currentJob
      if (following) this.#planNext(model, following, at)
    })
  }

  #apply(model: ModelState, job: Job, { move, at }: { move: Move; at: number }): void {
    // Stored before the event is visible: a client asks for it the instant it sees the event.
    if (move.event === 'training_ended') this.#addTrainedCheckpoint(model, job)
    advanceJob(job, move, at)
    const step = job.gradientSteps
    const { name } = job.model
    this.#world.journal.job(
      { jobId: job.id, modelName: name, event: move.event, cause: job.cause },
      () => describe(job.script, move, step),
    )
  }

  #addTrainedCheckpoint(model: ModelState, job: Job): void {
    const metrics = new Map([['train/num_sequences', job.script.numSequences]])
    if (job.gradientSteps > 0) {
      const last = job.script.metricsAt(job.gradientSteps)
      for (const [name, value] of Object.entries(last)) metrics.set(`train/${name}`, value)
    }
    addCheckpoint(this.#world.chance, model, metrics)
  }
}

/** Adds the checkpoint that follows the latest one: step 0 where there is none at all. */
export function addCheckpoint(
  chance: Chance,
  { checkpoints, record }: ModelState,
  metrics = new Map<string, number>(),
): void {
  // With all of them deleted the counter starts at 1: step 0 is the untrained adapter's own.
  const untouched = checkpoints.timesMade(0) === 0
  const step = untouched ? 0 : (checkpoints.latest?.step ?? 0) + 1
  const id = chance.uuid('checkpoint', record.id, step, checkpoints.timesMade(step))
  checkpoints.add({ id, step, metrics })
}

function describe(script: Script, move: Move, step: number): string {
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
