import { LOCAL_ACCOUNT } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { ModelRecord, ModelState } from '../engine/model.js'
import { didYouMean } from '../text/nearest.js'
import { isObject, kindOf, nonEmptyText, Options } from '../text/options.js'
import { ArrangeError } from './arrange-error.js'
import { fakerFor } from '../random/faker-for.js'

/** What a test names of a model; the rest is invented. */
export interface ModelToCreate {
  name?: string
  /** Default: `demo`. */
  project?: string
  /** Default: that of the local account. */
  entity?: string
  /** Default: the first that the scenario lists. */
  base_model?: string
}

export const modelToCreate = new Options<ModelToCreate>('models.create', {
  name: nonEmptyText,
  project: nonEmptyText,
  entity: nonEmptyText,
  base_model: nonEmptyText,
})

/** Which model is meant: its id, its name, or its record. */
export type WhichModel = string | { readonly id: string }

export const whichModel = kindOf("a model's id, its name, or its record", (value) => {
  return typeof value === 'string' || (isObject(value) && typeof value['id'] === 'string')
})

/** Models, made without a request. */
export class Models {
  readonly #engine: () => Engine

  constructor(engine: () => Engine) {
    this.#engine = engine
  }

  /** Creates a model, with its step-0 checkpoint. Rejects with `ArrangeError` if there is one of that name, or with `OptionsError`. */
  async create(named: ModelToCreate = {}): Promise<ModelRecord> {
    modelToCreate.check(named)
    const engine = this.#engine()
    await engine.ready
    const { entity = LOCAL_ACCOUNT.entity, project = 'demo' } = named
    const { base_model = engine.scenario.base_models[0] ?? 'example/base-8b-instruct' } = named
    const name = named.name ?? (await inventName(engine))
    const { state, created } = await engine.modelCalled({ entity, project, name }, base_model)
    if (created) return state.record
    throw new ArrangeError(
      `Failed to create a model: ${entity}/${project} already has one called "${name}". Leave the name out for another one.`,
    )
  }

  /** The model that is meant; an unknown name makes one, as over HTTP. Rejects with `ArrangeError`. */
  async findOrCreate(which: WhichModel | undefined): Promise<ModelState> {
    const engine = this.#engine()
    await engine.ready
    if (which === undefined) return findModel(engine, await this.create())
    const isNew = typeof which === 'string' && !modelMeant(engine, which)
    return findModel(engine, isNew ? await this.create({ name: which }) : which)
  }
}

function modelMeant({ store }: Engine, which: WhichModel): ModelState | undefined {
  const written = typeof which === 'string' ? which : which.id
  return (
    store.model(written.toLowerCase()) ??
    [...store.modelStates].findLast(({ record }) => record.name === written)
  )
}

/** Throws `ArrangeError` if there is none. */
export function findModel(engine: Engine, which: WhichModel): ModelState {
  const found = modelMeant(engine, which)
  if (found) return found
  const written = typeof which === 'string' ? which : which.id
  const names = [...engine.store.modelStates].map(({ record }) => record.name)
  const hint = didYouMean(written, names)
  const known = names.length === 0 ? 'There is none.' : `There are ${names.join(', ')}.`
  throw new ArrangeError(`No model has the id or name "${written}".${hint} ${known}`)
}

/** Numbered, so that no two are ever the same. */
async function inventName({ random, store }: Engine): Promise<string> {
  const number = store.models.all().length + 1
  const faker = await fakerFor(random, 'model', number)
  return `${faker.word.adjective()}-${faker.animal.type().replaceAll(' ', '-')}-${number}`
}
