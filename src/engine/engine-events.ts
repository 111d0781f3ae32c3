import type { Checkpoint } from './jobs/checkpoints.js'
import type { Job } from './jobs/job.js'
import type { ModelState } from './model.js'

/** Something that happened in the world, for those who follow it: the timeline and webhooks. */
export type Happening =
  | (Happened & { readonly event: 'model_created' })
  | (Happened & {
      readonly event: 'checkpoint_added'
      readonly checkpoint: Checkpoint
      /** The job that made it, if one did. */
      readonly job?: Job | undefined
    })
  | (Happened & {
      readonly event: 'alias_added'
      readonly checkpoint: Checkpoint
      readonly alias: string
      /** Where it is an alias in a registry, and none of the model's own. */
      readonly linked?: RegistryPlace | undefined
    })
  | (Happened & {
      readonly event: 'tag_added'
      readonly checkpoint: Checkpoint
      readonly tag: string
    })
  | (Happened & {
      readonly event: 'artifact_linked'
      readonly checkpoint: Checkpoint
      readonly linked: RegistryPlace
    })
  | (Happened & { readonly event: JobHappening; readonly job: Job })

/** A collection of a registry, to which versions are linked. */
export interface RegistryPlace {
  readonly registry: string
  readonly collection: string
}

export type JobHappening =
  'training_queued' | 'training_started' | 'gradient_step' | 'training_ended' | 'training_failed'

interface Happened {
  /** Milliseconds since the epoch, on the world's clock. */
  readonly at: number
  readonly model: ModelState
  /** The journal entry of what led to it. */
  readonly cause?: number | undefined
}

/**
 * Tells listeners of what happens, in order of subscription; and of each job that is another than it
 * was, whatever made it so.
 */
export class Happenings {
  readonly #listeners = new Set<(happening: Happening) => void>()
  readonly #jobListeners = new Set<(job: Job) => void>()

  subscribe(listener: (happening: Happening) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  subscribeToJobs(listener: (job: Job) => void): () => void {
    this.#jobListeners.add(listener)
    return () => this.#jobListeners.delete(listener)
  }

  tell(happening: Happening): void {
    for (const listener of this.#listeners) listener(happening)
    if ('job' in happening && happening.job) this.jobChanged(happening.job)
  }

  /** To be called where a job changes and nothing happened in the world: it stalls, or is resumed. */
  jobChanged(job: Job): void {
    for (const listener of this.#jobListeners) listener(job)
  }
}
