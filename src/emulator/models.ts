import { EmulatorError } from '../base/text/emulator-error.js'
import { LOCAL_ACCOUNT } from '../service/scenario/account.js'
import { baseModelIds } from '../service/scenario/base-models.js'
import type { Engine } from '../service/engine/engine.js'
import type { ModelRecord, ModelState } from '../service/engine/model.js'
import { checkArgument, isObject, valueKind, nonEmptyText, Options } from '../base/text/options.js'
import { invent } from '../base/random/invent.js'
import { hintAt, thereAre } from './find-named.js'
import type { Scenario } from '../service/scenario/scenario.js'

/** Thrown when a test asks for something that cannot be arranged. Code `SVTRAIN_CANNOT_ARRANGE`. */
export class ArrangeError extends EmulatorError {
  override readonly name = 'ArrangeError'
  readonly code = 'SVTRAIN_CANNOT_ARRANGE'
}

/** The project of models that are created without a project. */
export const DEFAULT_PROJECT = 'demo'

/** The base model of models that are created without a base model. A scenario has at least one. */
export function defaultBaseModel(scenario: Scenario): string {
  return baseModelIds(scenario)[0]!
}

/** A model to create. What you leave out is invented. */
export interface ModelToCreate {
  /** The name. Default: an invented one. */
  name?: string
  /** The project. Default: `demo`. */
  project?: string
  /** The team. Default: that of the local account, `local-team`. */
  entity?: string
  /** The id of the base model. Default: the first one of the scenario. */
  base_model?: string
}

export const modelToCreate = new Options<ModelToCreate>('models.create', {
  name: nonEmptyText,
  project: nonEmptyText,
  entity: nonEmptyText,
  base_model: nonEmptyText,
})

/** A model's id, its name, or its record. */
export type WhichModel = string | { readonly id: string }

export const whichModel = valueKind("a model's id, its name, or its record", (value) => {
  return typeof value === 'string' || (isObject(value) && typeof value['id'] === 'string')
})

/** The parts of an emulator that `Models` and `Checkpoints` use. */
export interface ModelsParts {
  readonly engine: Engine
  readonly ready: () => Promise<void>
}

/** Creates models without a request: `emulator.models`. */
export class Models {
  readonly #emulator: ModelsParts

  constructor(emulator: ModelsParts) {
    this.#emulator = emulator
  }

  /**
   * Creates a model with its checkpoint of step 0.
   *
   * @param named The names of the model. Default: invented ones.
   * @returns The model's record.
   * @throws {ArrangeError} When the name is taken.
   * @throws {OptionsError} When a value can't be used.
   * @example
   * const model = await emulator.models.create({ name: 'poet' })
   */
  async create(named: ModelToCreate = {}): Promise<ModelRecord> {
    modelToCreate.check(named)
    await this.#emulator.ready()
    const { engine } = this.#emulator
    const { entity = LOCAL_ACCOUNT.entity, project = DEFAULT_PROJECT } = named
    const { base_model = defaultBaseModel(engine.scenario) } = named
    for (let number = engine.store.models.count() + 1; ; number++) {
      const name = named.name ?? (await inventName(engine, number))
      const { state, created } = await engine.modelCalled({ entity, project, name }, base_model)
      if (created) return state.record
      // Another model may have an invented name, if one was deleted, or is created at the same time.
      if (named.name === undefined) continue
      throw new ArrangeError(
        `Failed to create a model: ${entity}/${project} already has one called "${name}". Leave out the name to get an invented one.`,
      )
    }
  }

  /**
   * Deletes a model with its checkpoints, as a request does. Its unfinished jobs fail.
   *
   * @param which The model.
   * @returns The record of the deleted model.
   * @throws {ArrangeError} When there is no such model.
   * @throws {OptionsError} When `which` can't be used.
   * @example
   * await emulator.models.create({ name: 'poet' })
   * emulator.models.delete('poet')
   */
  delete(which: WhichModel): ModelRecord {
    checkArgument('models.delete', { name: 'which', value: which, kind: whichModel })
    const { engine } = this.#emulator
    const state = findModel(engine, which)
    engine.deleteModel(state)
    return state.record
  }

  /**
   * Finds a model, or creates one of that name. Without an argument, it creates one.
   *
   * @throws {ArrangeError} When there is no model with the id of the record.
   * @throws {OptionsError} When no model can have that name.
   * @internal
   */
  async findOrCreate(which: WhichModel | undefined): Promise<ModelState> {
    await this.#emulator.ready()
    const { engine } = this.#emulator
    if (which === undefined) return findModel(engine, await this.create())
    if (typeof which !== 'string') return findModel(engine, which)
    return findOrCreateModel(engine, which)
  }
}

/** The newest model. Undefined if there is none. */
export function newestModel({ store }: Engine): ModelRecord | undefined {
  return [...store.modelStates].at(-1)?.record
}

/** The model of that id, or the newest model of that name. Names repeat in other projects. */
export function modelByIdOrName({ store }: Engine, idOrName: string): ModelState | undefined {
  return (
    store.model(idOrName.toLowerCase()) ??
    [...store.modelStates].findLast(({ record }) => record.name === idOrName)
  )
}

/**
 * The model of that id or name. If there is none, it creates a model of that name. The engine must be
 * ready.
 *
 * @param cause The id of the journal entry that asks for the model.
 * @throws {OptionsError} When no model can have that name.
 */
export async function findOrCreateModel(
  engine: Engine,
  idOrName: string,
  cause?: number,
): Promise<ModelState> {
  const found = modelByIdOrName(engine, idOrName)
  if (found) return found
  modelToCreate.check({ name: idOrName })
  const { entity } = LOCAL_ACCOUNT
  const name = { entity, project: DEFAULT_PROJECT, name: idOrName }
  const called = cause === undefined ? name : { ...name, cause }
  const { state } = await engine.modelCalled(called, defaultBaseModel(engine.scenario))
  return state
}

/** @throws {ArrangeError} When there is no such model. */
export function findModel(engine: Engine, which: WhichModel): ModelState {
  const idOrName = typeof which === 'string' ? which : which.id
  const found = modelByIdOrName(engine, idOrName)
  if (found) return found
  throw new ArrangeError(`No ${noModelText(engine, idOrName)}`)
}

/** Completes "No …", if no model has that id or name. */
export function noModelText({ store }: Engine, idOrName: string): string {
  const names = [...store.modelStates].map(({ record }) => record.name)
  const hint = hintAt(idOrName, names)
  return `model has the id or name "${idOrName}".${hint} ${thereAre(names)}`
}

/** Invents a name that ends with a number. */
async function inventName({ random }: Engine, number: number): Promise<string> {
  return invent(random, ['model', number], ({ word, animal }) => {
    return `${word.adjective()}-${animal.type().replaceAll(' ', '-')}-${number}`
  })
}
