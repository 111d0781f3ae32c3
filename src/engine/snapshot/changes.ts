import type { Checkpoint } from '../jobs/checkpoints.js'
import type { Job } from '../jobs/job.js'
import type { ModelState } from '../model.js'

/** What of a world is to be written down. */
export interface Changed {
  models: Set<ModelState>
  deletedModels: Set<ModelState>
  checkpoints: Map<Checkpoint, ModelState>
  aliases: Set<ModelState>
  jobs: Set<Job>
  /** Jobs whose state is another one than before. */
  progress: Set<Job>
  /** SFT jobs by their model and data. */
  sftJobs: Map<string, Job>
  faults: boolean
  timeline: boolean
  /** How often each of these was asked in a chat. */
  repeats: Map<string, number>
  /** How far the answers are that chat rules give in turn. */
  chatTurns: boolean
  /** Projects that have used something. */
  usage: Set<string>
  /** What is kept of what leaves the world, each read when it is written down; null is gone. */
  outgoing: Map<string, () => unknown>
  /** Its scenario, or whether it is awake. */
  world: boolean
  /** Whether the whole world is to be written again, because parts of it are gone or replaced. */
  all: boolean
}

/**
 * What changed since it was last taken. Until somebody listens nothing is noted, so that a world that
 * nobody keeps pays a comparison for each change, and no more.
 */
export class Changes {
  #listener: (() => void) | undefined
  #changed: Changed | undefined

  /** Calls `listener` at the first change after each `take`. */
  listen(listener: () => void): void {
    this.#listener = listener
  }

  /** What changed, if anything did, and begins anew. */
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

  /** Notes that the whole world is to be written again. */
  all(): void {
    const noted = this.#noted
    if (noted) noted.all = true
  }

  /** Where to note a change; undefined where nobody listens. */
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
