import type { Checkpoint } from '../engine/jobs/checkpoints.js'
import type { Engine } from '../engine/engine.js'
import type { CheckpointOptions } from '../scenario/scenario.js'
import { anyObject, aDuration, Options } from '../text/options.js'
import { findModel, whichModel, type Models, type WhichModel } from './models.js'

/** What a test names of a checkpoint. */
export interface CheckpointToAdd extends CheckpointOptions {
  /** Default: the newest model, or a new one where there is none. */
  model?: WhichModel
}

export const checkpointToAdd = new Options<CheckpointToAdd>('checkpoints.add', {
  model: whichModel,
  metrics: anyObject,
  served_after: aDuration,
  evicted_after: aDuration,
})

/** Checkpoints, made without a job. */
export class Checkpoints {
  readonly #engine: () => Engine
  readonly #models: Models

  constructor(engine: () => Engine, models: Models) {
    this.#engine = engine
    this.#models = models
  }

  /** Adds the checkpoint that follows a model's latest. Raises `ArrangeError` where there is no such model. */
  async add(named: CheckpointToAdd = {}): Promise<Checkpoint> {
    checkpointToAdd.check(named)
    const { model, ...options } = named
    const engine = this.#engine()
    await engine.ready
    const newest = [...engine.store.modelStates].at(-1)?.record
    const state = findModel(engine, model ?? newest ?? (await this.#models.create()))
    return engine.checkpointing.add(state, options)
  }
}
