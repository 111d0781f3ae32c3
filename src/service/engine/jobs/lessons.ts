import type { BaseWorld } from '../base-world.js'
import type { TrajectoryGroup } from '../../contract/trajectory.js'
import { counted } from '../../../base/text/counted.js'
import type {
  KindTotals,
  Lesson,
  ReadLessons,
  Taught,
  TaughtLesson,
} from '../chat/learner/lesson.js'
import type { ModelState } from '../model.js'
import { whole, type Complete } from '../saved/complete.js'
import type { Job } from './job.js'
import { savedLessons, type SavedLessons } from './saved-lessons.js'
import { needsLogprobs, type RlConfig } from './rl-config.js'

interface TaughtBatch {
  job: string
  model: string
  /** The step of the checkpoint. Undefined while the job runs. */
  step: number | undefined
  lessons: Map<string, TaughtLesson>
  kinds: KindTotals
}

/** The limits of what a world remembers. */
const MOST_LESSONS = 20_000
const MOST_CHARACTERS = 16_000_000

/**
 * What the models of a world learned from the rewards of their training jobs. Only scenarios with a learner need
 * it. If a limit is reached, the oldest answers are forgotten.
 */
export class Lessons {
  readonly #world: BaseWorld
  /** By the id of the job, oldest first. */
  readonly #batches = new Map<string, TaughtBatch>()
  readonly #byModel = new Map<string, TaughtBatch[]>()
  #read: ReadLessons | undefined
  #count = 0
  #characters = 0
  /** How many answers were forgotten since the last note. */
  #forgotten = 0

  constructor(world: BaseWorld) {
    this.#world = world
    world.events.subscribe((event) => {
      if (event.type === 'checkpoint_added') this.#replace(event.model, event.checkpoint.step)
      if (event.type === 'training_ended') this.#complete(event.model, event.job)
      if (event.type === 'training_failed') this.#drop(event.job.id)
    })
  }

  /** Loads the code that reads lessons, if the scenario has a learner. */
  async load(): Promise<void> {
    if (!this.#world.scenario.chat.rules.some(({ learner }) => learner)) return
    const { readLessons } = await import('./read-lessons.js')
    this.#read = readLessons
  }

  /** Reads what trajectories teach. Undefined if the scenario has no learner, or if they teach nothing. */
  read(
    model: ModelState,
    groups: readonly TrajectoryGroup[],
    config: RlConfig,
  ): Taught | undefined {
    const learners = this.#world.scenario.chat.rules.flatMap(({ learner }) => learner ?? [])
    if (learners.length === 0) return undefined
    const { id, name } = model.record
    return this.#read?.(groups, {
      name,
      candidates: learners.flatMap(({ candidates }) => candidates),
      needsLogprobs: needsLogprobs(config) === true,
      known: (prompt) => this.best({ model: id, step: Infinity, prompt }),
    })
  }

  /** Remembers what a job teaches until the job ends. */
  expect(job: Job, { lessons, kinds }: Taught): void {
    this.#add({
      job: job.id,
      model: job.model.id,
      step: undefined,
      lessons: new Map(lessons),
      kinds,
    })
    this.#forgetOldest()
  }

  /** Returns how many training steps up to `step` taught something. */
  stepsUpTo({ model, step }: Place): number {
    return this.#upTo({ model, step }).length
  }

  /** Returns the best known answer to a prompt. Undefined if there is none. */
  best({ prompt, ...place }: Place & { prompt: string }): Lesson | undefined {
    let best: Lesson | undefined
    for (const { lessons } of this.#upTo(place)) {
      const next = lessons.get(prompt)
      if (next && (!best || next.again || next.reward >= best.reward)) best = next
    }
    return best
  }

  /** Returns how good each kind of answers was, on average, compared with others. */
  kindsUpTo(place: Place): ReadonlyMap<string, number> {
    const totals = new Map<string, readonly [number, number]>()
    for (const { kinds } of this.#upTo(place)) {
      for (const [kind, [count, sum]] of kinds) {
        const [before, total] = totals.get(kind) ?? [0, 0]
        totals.set(kind, [before + count, total + sum])
      }
    }
    return new Map([...totals].map(([kind, [count, sum]]) => [kind, sum / count]))
  }

  /** Forgets what a deleted model learned. */
  forgetModel(model: string): void {
    for (const batch of this.#batches.values()) if (batch.model === model) this.#drop(batch.job)
  }

  get ids(): Iterable<string> {
    return this.#batches.keys()
  }

  /** Returns a batch to save. Null if it was forgotten. */
  saved(job: string): Complete<SavedLessons> | null {
    const batch = this.#batches.get(job)
    if (!batch) return null
    const { model, step, lessons, kinds } = batch
    return {
      model,
      step,
      lessons: [...lessons].map(([prompt, { reward, message, again }]) => {
        return [prompt, reward, whole(message), again]
      }),
      kinds: [...kinds].map(([kind, [count, sum]]) => [kind, count, sum]),
    }
  }

  /** Restores a saved batch. */
  restore(job: string, { model, step, lessons, kinds }: SavedLessons): void {
    this.#add({
      job,
      model,
      step,
      lessons: new Map(
        lessons.map(([prompt, reward, message, again]) => [prompt, { reward, message, again }]),
      ),
      kinds: new Map(kinds.map(([kind, count, sum]) => [kind, [count, sum]])),
    })
  }

  #upTo({ model, step }: Place): readonly TaughtBatch[] {
    const batches = this.#byModel.get(model) ?? []
    return batches.filter((batch) => batch.step !== undefined && batch.step <= step)
  }

  #complete(model: ModelState, job: Job): void {
    const batch = this.#batches.get(job.id)
    if (!batch) return
    const { checkpointStep: step } = job.progress
    if (step === undefined) {
      this.#drop(job.id)
      return
    }
    // A long job would push an earlier note out of the journal.
    this.#noteForgotten(job.cause)
    batch.step = step
    this.#world.changes.changed(savedLessons, job.id, undefined)
  }

  /** Forgets what deleted checkpoints learned when their steps are reached again. */
  #replace({ record }: ModelState, step: number): void {
    for (const batch of this.#byModel.get(record.id) ?? []) {
      if (batch.step !== undefined && batch.step >= step) this.#drop(batch.job)
    }
  }

  #add(batch: TaughtBatch): void {
    this.#batches.set(batch.job, batch)
    const { model } = batch
    this.#byModel.set(model, [...(this.#byModel.get(model) ?? []), batch])
    for (const [prompt, lesson] of batch.lessons) this.#adjust(sizeOf(prompt, lesson), 1)
    this.#world.changes.changed(savedLessons, batch.job, undefined)
  }

  #drop(job: string): void {
    const batch = this.#batches.get(job)
    if (!batch) return
    this.#batches.delete(job)
    const left = this.#byModel.get(batch.model)!.filter((each) => each !== batch)
    if (left.length === 0) this.#byModel.delete(batch.model)
    else this.#byModel.set(batch.model, left)
    for (const [prompt, lesson] of batch.lessons) this.#adjust(sizeOf(prompt, lesson), -1)
    this.#world.changes.changed(savedLessons, job, undefined)
  }

  #adjust(characters: number, sign: 1 | -1): void {
    this.#count += sign
    this.#characters += sign * characters
  }

  #forgetOldest(): void {
    for (const batch of this.#batches.values()) {
      if (!this.#isFull()) break
      for (const [prompt, lesson] of batch.lessons) {
        if (!this.#isFull()) break
        batch.lessons.delete(prompt)
        this.#adjust(sizeOf(prompt, lesson), -1)
        this.#forgotten++
      }
      this.#world.changes.changed(savedLessons, batch.job, undefined)
    }
  }

  #noteForgotten(cause: number | undefined): void {
    if (this.#forgotten === 0) return
    const forgotten = counted(this.#forgotten, 'oldest answer')
    const limit = `${MOST_LESSONS.toLocaleString('en-US')} answers and ${MOST_CHARACTERS / 1e6} million characters`
    this.#forgotten = 0
    this.#world.journal.note(
      `the learner forgot its ${forgotten}: it remembers at most ${limit}`,
      cause,
    )
  }

  #isFull(): boolean {
    return this.#count > MOST_LESSONS || this.#characters > MOST_CHARACTERS
  }
}

interface Place {
  /** The id of the model. */
  model: string
  /** The step of the checkpoint that answers. */
  step: number
}

function sizeOf(prompt: string, { message }: Lesson): number {
  const { content = '', refusal = '', tool_calls: calls = [] } = message
  const called = calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0)
  return prompt.length + content.length + refusal.length + called
}
