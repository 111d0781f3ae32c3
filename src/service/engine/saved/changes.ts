import type { Checkpoint } from '../jobs/checkpoints.js'
import type { Job } from '../jobs/job.js'
import type { ModelState } from '../model.js'

/** The changes of a world that are not saved yet. */
export interface UnsavedChanges {
  models: Set<ModelState>
  deletedModels: Set<ModelState>
  checkpoints: Map<Checkpoint, ModelState>
  aliases: Set<ModelState>
  jobs: Set<Job>
  /** Jobs whose state changed. */
  progress: Set<Job>
  /** SFT jobs by their model and data. */
  sftJobs: Map<string, Job>
  faults: boolean
  timeline: boolean
  /** How often each chat prompt was repeated. */
  repeats: Map<string, number>
  /** Whether the turns of chat rules changed. */
  chatTurns: boolean
  /** The jobs whose lessons changed. */
  lessons: Set<string>
  /** Whether the judge was called. */
  judged: boolean
  /** Projects whose usage changed. */
  usage: Set<string>
  /** Functions that read records of webhooks, by key. They are called when the records are saved. */
  outgoing: Map<string, () => unknown>
  /** Whether the scenario changed, or its times began to count. */
  world: boolean
  /** Whether the whole world must be saved again, because parts of it were removed or replaced. */
  all: boolean
}

/**
 * Records what changed since the last `take`. Without a listener it records nothing, so a world without a data
 * folder loses almost no time.
 */
export class Changes {
  #listener: (() => void) | undefined
  #changed: UnsavedChanges | undefined

  /** Calls `listener` at the first change after each `take`. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** Returns the changes since the last call and forgets them. Undefined if there are none. */
  take(): UnsavedChanges | undefined {
    const taken = this.#changed
    this.#changed = undefined
    return taken
  }

  model(model: ModelState): void {
    this.#recording?.models.add(model)
  }

  modelDeleted(model: ModelState): void {
    this.#recording?.deletedModels.add(model)
  }

  checkpoint(model: ModelState, checkpoint: Checkpoint): void {
    this.#recording?.checkpoints.set(checkpoint, model)
  }

  aliases(model: ModelState): void {
    this.#recording?.aliases.add(model)
  }

  job(job: Job): void {
    this.#recording?.jobs.add(job)
  }

  progress(job: Job): void {
    this.#recording?.progress.add(job)
  }

  sftJob(same: string, job: Job): void {
    this.#recording?.sftJobs.set(same, job)
  }

  faults(): void {
    const recording = this.#recording
    if (recording) recording.faults = true
  }

  timeline(): void {
    const recording = this.#recording
    if (recording) recording.timeline = true
  }

  asking(same: string, times: number): void {
    this.#recording?.repeats.set(same, times)
  }

  chatTurns(): void {
    const recording = this.#recording
    if (recording) recording.chatTurns = true
  }

  lessons(job: string): void {
    this.#recording?.lessons.add(job)
  }

  judged(): void {
    const recording = this.#recording
    if (recording) recording.judged = true
  }

  usage(project: string): void {
    this.#recording?.usage.add(project)
  }

  outgoing(key: string, read: () => unknown): void {
    this.#recording?.outgoing.set(key, read)
  }

  world(): void {
    const recording = this.#recording
    if (recording) recording.world = true
  }

  /** Records that a client learns the time, even if nothing else changed. Every save contains the time. */
  time(): void {
    void this.#recording
  }

  /** Records that the whole world must be saved again. */
  all(): void {
    const recording = this.#recording
    if (recording) recording.all = true
  }

  /** The object that records changes. Undefined without a listener. */
  get #recording(): UnsavedChanges | undefined {
    if (!this.#listener) return undefined
    if (!this.#changed) {
      this.#changed = nothingChanged()
      this.#listener()
    }
    return this.#changed
  }
}

export function nothingChanged(): UnsavedChanges {
  return {
    models: new Set(),
    deletedModels: new Set(),
    checkpoints: new Map(),
    aliases: new Set(),
    jobs: new Set(),
    progress: new Set(),
    sftJobs: new Map(),
    faults: false,
    timeline: false,
    repeats: new Map(),
    chatTurns: false,
    lessons: new Set(),
    judged: false,
    usage: new Set(),
    outgoing: new Map(),
    world: false,
    all: false,
  }
}
