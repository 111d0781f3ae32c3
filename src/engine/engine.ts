import { Chance } from '../world/random.js'
import { Clock, type ClockOptions } from '../world/clock.js'
import { LOCAL_ACCOUNT } from './account.js'
import type { Journal } from './journal.js'
import type { ModelName, ModelState } from './model.js'
import { News } from './news.js'
import type { Scenario } from './scenario.js'
import { Store, type FoundModel } from './store.js'
import { addCheckpoint, Training, type TrainingWorld } from './training.js'

export interface EngineOptions {
  scenario: Scenario
  seed: number
  clock: ClockOptions
  /** Outlives the world, so that who listens to it hears of the next one, too. */
  journal: Journal
}

/** One world: its clock, its chance, its records, and what is going on in it. */
export class Engine implements TrainingWorld {
  readonly clock: Clock
  readonly chance: Chance
  /** A new model begins with the untrained adapter, its step-0 checkpoint. */
  readonly store = new Store((model) => addCheckpoint(this.chance, model))
  readonly journal: Journal
  readonly training: Training
  readonly news: News
  scenario: Scenario
  /** Resolves when the models that the scenario begins with exist. Undefined once it has. */
  ready: Promise<void> | undefined

  constructor({ scenario, seed, clock, journal }: EngineOptions) {
    this.scenario = scenario
    this.clock = new Clock(clock)
    this.chance = new Chance(seed)
    this.journal = journal
    this.training = new Training(this)
    this.news = new News(this.clock, this.training)
    this.#begin()
  }

  /** Finds or creates the model of that name. */
  modelCalled({ entity, project, name }: ModelName, base_model: string): Promise<FoundModel> {
    return this.store.modelCalled({ entity, project, name }, (generation) => {
      const id = this.chance.uuid('model', entity, project, name, generation)
      return { id, entity, project, name, base_model, run_id: this.chance.token(8, 'run', id) }
    })
  }

  /** Deletes a model. Its jobs end first, so that whoever polls them hears of it. */
  deleteModel(model: ModelState): void {
    this.training.abandon(model, 'Model was deleted')
    this.store.deleteModel(model)
  }

  /**
   * Follows another scenario from now on: its keys, rules and base models, and the models that it
   * begins with, beside those that are there. What is running keeps the script it began with.
   */
  follow(scenario: Scenario): void {
    this.scenario = scenario
    this.#begin()
  }

  /** Cancels everything that is to come. */
  stop(): void {
    this.clock.clear()
  }

  /** Requests wait until what the scenario begins with is there. */
  #begin(): void {
    const begun = Promise.resolve(this.ready)
      .then(() => this.#seed())
      .finally(() => {
        if (this.ready === begun) this.ready = undefined
      })
    this.ready = begun
  }

  async #seed(): Promise<void> {
    this.store.baseModels.deleteMany((query) => query.where(() => true))
    for (const id of this.scenario.base_models) await this.store.baseModels.create({ id })
    for (const { base_model, entity = LOCAL_ACCOUNT.entity, ...name } of this.scenario.models) {
      await this.modelCalled({ entity, ...name }, base_model)
    }
  }
}
