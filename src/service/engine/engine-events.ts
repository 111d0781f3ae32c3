import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { Checkpoint } from './jobs/checkpoints.js'
import type { Job } from './jobs/job.js'
import type { ModelState } from './model.js'
import type { EventfulChange } from './platform-events.js'

/** Something that happened in the engine. The timeline and webhooks listen to these events. */
export type EngineEvent = ModelEvent | PlatformEvent

/** Something that a client did to runs and artifacts. The emulator shows checkpoints as artifacts without such events. */
export interface PlatformEvent {
  readonly type: 'platform_changed'
  /** Milliseconds since the epoch, on the world's clock. */
  readonly at: number
  /** The id of the journal entry that caused it. */
  readonly cause?: number | undefined
  readonly change: EventfulChange
}

/** Something that happened to a model. */
export type ModelEvent =
  | (EngineEventBase & { readonly type: 'model_created' })
  | (EngineEventBase & {
      readonly type: 'checkpoint_added'
      readonly checkpoint: Checkpoint
      /** The job that added the checkpoint, if one did. */
      readonly job?: Job | undefined
    })
  | (EngineEventBase & {
      readonly type: 'alias_added'
      readonly checkpoint: Checkpoint
      readonly alias: string
      /** Set if the alias is in a registry. Otherwise the model itself has it. */
      readonly linked?: RegistryPlace | undefined
    })
  | (EngineEventBase & {
      readonly type: 'tag_added'
      readonly checkpoint: Checkpoint
      readonly tag: string
    })
  | (EngineEventBase & {
      readonly type: 'artifact_linked'
      readonly checkpoint: Checkpoint
      readonly linked: RegistryPlace
    })
  /** A chat is answered by a checkpoint of the model. */
  | (EngineEventBase & { readonly type: 'chat_answered'; readonly checkpoint: Checkpoint })
  | (EngineEventBase & { readonly type: JobEventType; readonly job: Job })

/** A collection of a registry, to which checkpoints are linked. */
export interface RegistryPlace {
  readonly registry: string
  readonly collection: string
}

export type JobEventType =
  | 'training_queued'
  | 'training_started'
  | 'gradient_step'
  | 'training_ended'
  | 'training_failed'

interface EngineEventBase {
  /** Milliseconds since the epoch, on the world's clock. */
  readonly at: number
  readonly model: ModelState
  /** The id of the journal entry that caused it. */
  readonly cause?: number | undefined
}

/**
 * Calls listeners with each engine event, and with each job whose state changed. Listeners are called in the
 * order in which they subscribed. The error of a listener is reported: neither the others nor what
 * caused the event depend on it.
 */
export class EngineEvents {
  readonly #background: BackgroundErrors
  readonly #listeners = new Set<(event: EngineEvent) => void>()
  readonly #jobListeners = new Set<(job: Job) => void>()

  constructor(background: BackgroundErrors) {
    this.#background = background
  }

  subscribe(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  subscribeToJobs(listener: (job: Job) => void): () => void {
    this.#jobListeners.add(listener)
    return () => this.#jobListeners.delete(listener)
  }

  emit(event: EngineEvent): void {
    for (const listener of this.#listeners) {
      this.#background.run(`act on the event ${event.type}`, () => listener(event), event.cause)
    }
    if ('job' in event && event.job) this.jobChanged(event.job)
  }

  /** Call it when a job changes without an event: it stalls or resumes. */
  jobChanged(job: Job): void {
    for (const listener of this.#jobListeners) {
      this.#background.run('tell that a job changed', () => listener(job))
    }
  }
}
