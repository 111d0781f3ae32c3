import type { Checkpoint } from '../jobs/checkpoints.js'
import type { Job } from '../jobs/job.js'
import type { ModelState } from '../model.js'

/** The changes of a world that are not saved yet. */
export interface Changed {
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
  /** Projects whose usage changed. */
  usage: Set<string>
  /** Records of webhooks. Each is read when it is saved. Null: it is gone. */
  outgoing: Map<string, () => unknown>
  /** Whether the scenario changed, or its times started to count. */
  world: boolean
  /** Whether to save the whole world again, because parts of it are gone or replaced. */
  all: boolean
}

/**
 * Records what changed since the last `take`. Without a listener it records nothing, so that a world
 * without a data folder pays only for a comparison.
 */
export class Changes {
  #listener: (() => void) | undefined
  #changed: Changed | undefined

  /** Calls `listener` at the first change after each `take`. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** Returns the changes since the last call, if there are any, and starts again. */
  take(): Changed | undefined {
    const taken = this.#changed
    this.#changed = undefined
    return taken
  }

  model(model: ModelState): void {
    this.#noted?.models.add(model)
  }

  modelDeleted(model: ModelState): void {
    this.#noted?.deletedModels.add(model)
  }

  checkpoint(model: ModelState, checkpoint: Checkpoint): void {
    this.#noted?.checkpoints.set(checkpoint, model)
  }

  aliases(model: ModelState): void {
    this.#noted?.aliases.add(model)
  }

  job(job: Job): void {
    this.#noted?.jobs.add(job)
  }

  progress(job: Job): void {
    this.#noted?.progress.add(job)
  }

  sftJob(same: string, job: Job): void {
    this.#noted?.sftJobs.set(same, job)
  }

  faults(): void {
    const noted = this.#noted
    if (noted) noted.faults = true
  }

  timeline(): void {
    const noted = this.#noted
    if (noted) noted.timeline = true
  }

  asking(same: string, times: number): void {
    this.#noted?.repeats.set(same, times)
  }

  chatTurns(): void {
    const noted = this.#noted
    if (noted) noted.chatTurns = true
  }

  usage(project: string): void {
    this.#noted?.usage.add(project)
  }

  outgoing(key: string, read: () => unknown): void {
    this.#noted?.outgoing.set(key, read)
  }

  world(): void {
    const noted = this.#noted
    if (noted) noted.world = true
  }

  /** Records that the whole world must be saved again. */
  all(): void {
    const noted = this.#noted
    if (noted) noted.all = true
  }

  /** Where to record a change. Undefined without a listener. */
  get #noted(): Changed | undefined {
    if (!this.#listener) return undefined
    if (!this.#changed) {
      this.#changed = nothingChanged()
      this.#listener()
    }
    return this.#changed
  }
}

export function nothingChanged(): Changed {
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
    usage: new Set(),
    outgoing: new Map(),
    world: false,
    all: false,
  }
}
