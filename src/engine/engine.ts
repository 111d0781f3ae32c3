import { Chance } from '../world/random.js'
import { Clock, type ClockOptions } from '../world/clock.js'
import { Journal } from './journal.js'
import type { ModelName, ModelState } from './model.js'
import { News } from './news.js'
import type { Scenario } from './scenario.js'
import { Store, type FoundModel } from './store.js'
import { addCheckpoint, Training, type TrainingWorld } from './training.js'

/** Who a key belongs to. */
export interface Account {
  key: string
  user: string
  entity: string
}

export const LOCAL_ACCOUNT = { user: 'local-user', entity: 'local-team' } as const

export interface EngineOptions {
  scenario: Scenario
  seed: number
  clock: ClockOptions
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

  constructor({ scenario, seed, clock }: EngineOptions) {
    this.scenario = scenario
    this.clock = new Clock(clock)
    this.chance = new Chance(seed)
    this.journal = new Journal(() => this.clock.now())
    this.training = new Training(this)
    this.news = new News(this.clock, this.training)
    this.ready = this.#seed().finally(() => (this.ready = undefined))
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

  /** Cancels everything that is to come. */
  stop(): void {
    this.clock.clear()
  }

  async #seed(): Promise<void> {
    for (const id of this.scenario.base_models) await this.store.baseModels.create({ id })
    for (const { base_model, entity = LOCAL_ACCOUNT.entity, ...name } of this.scenario.models) {
      await this.modelCalled({ entity, ...name }, base_model)
    }
  }
}
