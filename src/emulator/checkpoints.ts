import type { Checkpoint } from '../service/engine/jobs/checkpoints.js'
import type { ModelState } from '../service/engine/model.js'
import type { CheckpointOptions } from '../service/scenario/scenario.js'
import {
  aDelay,
  anyNumber,
  checkArgument,
  Options,
  recordOf,
  wholeNumber,
} from '../base/text/options.js'
import { newest } from './find-named.js'
import {
  ArrangeError,
  findModel,
  newestModel,
  whichModel,
  type ModelsParts,
  type Models,
  type WhichModel,
} from './models.js'

/** A checkpoint to add. */
export interface CheckpointToAdd extends CheckpointOptions {
  /** Metrics by name, such as `val/reward`. Default: none. */
  metrics?: Record<string, number> | undefined
  /** The time until chat serves it, such as `2m`. Default: it is served at once. */
  served_after?: string | undefined
  /** The time until chat stops serving it. Default: never. */
  evicted_after?: string | undefined
  /** The time until it is deleted. Default: never. */
  expires_after?: string | undefined
  /** The model. Default: the newest one, or a new one if there is no model. */
  model?: WhichModel
}

export const checkpointToAdd = new Options<CheckpointToAdd>('checkpoints.add', {
  model: whichModel,
  metrics: recordOf(anyNumber),
  served_after: aDelay,
  evicted_after: aDelay,
  expires_after: aDelay,
})

/** Which model `checkpoints.delete` is about. */
export interface CheckpointToDelete {
  /** The model. Default: the newest one. */
  model?: WhichModel
}

export const checkpointToDelete = new Options<CheckpointToDelete>('checkpoints.delete', {
  model: whichModel,
})

/** Adds and deletes checkpoints without a job: `emulator.checkpoints`. */
export class Checkpoints {
  readonly #emulator: ModelsParts
  readonly #models: Models

  constructor(emulator: ModelsParts, models: Models) {
    this.#emulator = emulator
    this.#models = models
  }

  /**
   * Adds a checkpoint after a model's latest one.
   *
   * @param named The model, and what is known about the checkpoint.
   * @returns The checkpoint.
   * @throws {ArrangeError} When there is no such model.
   * @throws {OptionsError} When a value can't be used.
   * @example
   * await emulator.checkpoints.add({ model: 'poet', metrics: { 'val/reward': 0.9 } })
   */
  async add(named: CheckpointToAdd = {}): Promise<Checkpoint> {
    checkpointToAdd.check(named)
    const { model, ...options } = named
    await this.#emulator.ready()
    const { engine } = this.#emulator
    const which = model ?? newestModel(engine) ?? (await this.#models.create())
    const state = findModel(engine, which)
    return engine.checkpointing.add(state, options)
  }

  /**
   * Deletes a checkpoint, as a request does. Chat answers 404 for it. If it was the latest, and not of step 0, the next
   * checkpoint takes its step.
   *
   * @param step The step of the checkpoint.
   * @param named The model. Default: the newest one.
   * @returns The deleted checkpoint.
   * @throws {ArrangeError} When there is no such model or checkpoint.
   * @throws {OptionsError} When a value can't be used.
   * @example
   * await emulator.checkpoints.add({ model: 'poet' })
   * emulator.checkpoints.delete(0, { model: 'poet' })
   */
  delete(step: number, named: CheckpointToDelete = {}): Checkpoint {
    checkArgument('checkpoints.delete', { name: 'step', value: step, kind: wholeNumber() })
    checkpointToDelete.check(named)
    const { engine } = this.#emulator
    const which = named.model ?? newestModel(engine)
    if (which === undefined)
      throw new ArrangeError('Failed to delete a checkpoint: no model exists.')
    const state = findModel(engine, which)
    const checkpoint = state.checkpoints.at(step)
    if (!checkpoint) {
      throw new ArrangeError(`Failed to delete a checkpoint: ${noCheckpointText(state, step)}`)
    }
    engine.checkpointing.delete(state, step)
    return checkpoint
  }
}

/** Says that a model has no checkpoint of a step, and which ones it has. */
export function noCheckpointText({ record, checkpoints }: ModelState, step: number): string {
  const steps = checkpoints.all.map((each) => String(each.step))
  return `${record.name} has no checkpoint of step ${step}. It has: ${newest(steps) || 'none'}.`
}
