import { modelRequest, models, type ControlModel } from './schemas.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import { LOCAL_ACCOUNT } from '../scenario/account.js'
import { DEFAULT_PROJECT, defaultBaseModel } from '../emulator/models.js'
import type { Engine } from '../engine/engine.js'
import { didYouMean } from '../text/nearest.js'
import type { ModelState } from '../engine/model.js'
import { toIso } from '../text/iso.js'
import { control } from './row.js'

const listModels = control({
  id: 'listModels',
  method: 'GET',
  path: '/_emulator/models',
  summary: 'The models and their checkpoints',
  response: models,
  run: ({ engine }) => ({ models: [...engine.store.modelStates].map(modelState) }),
})

const addModel = control({
  id: 'addModel',
  method: 'POST',
  path: '/_emulator/models',
  summary: 'Creates a model; 409 if the name is taken',
  refusals: [409],
  body: modelRequest,
  response: models,
  async run({ engine, body }) {
    const { name, project = DEFAULT_PROJECT, entity = LOCAL_ACCOUNT.entity } = body
    if (engine.store.modelNamed({ entity, project, name })) {
      return apiErrors.modelExists(name, project)
    }
    const { base_model = defaultBaseModel(engine.scenario) } = body
    const cause = engine.journal.note(`control: model ${entity}/${project}/${name}`)
    const { state } = await engine.modelCalled({ entity, project, name, cause }, base_model)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    return { models: [modelState(state)] }
  },
})

function modelState({ record, checkpoints, aliases, jobs }: ModelState): ControlModel {
  const { id, entity, project, name, base_model } = record
  return {
    id,
    entity,
    project,
    name,
    base_model,
    checkpoints: checkpoints.all.map((checkpoint) => ({
      step: checkpoint.step,
      id: checkpoint.id,
      created_at: toIso(checkpoint.createdAt),
      aliases: [...aliases].flatMap(([alias, pointed]) => (pointed === checkpoint ? alias : [])),
      metrics: Object.fromEntries(checkpoint.metrics),
    })),
    jobs: jobs.length,
  }
}

/** Refuses an id or name that no model has. */
export function modelProblem(
  { store }: Engine,
  idOrName: string | undefined,
): ApiError | undefined {
  const all = [...store.modelStates].map(({ record }) => record)
  if (idOrName === undefined || all.some(({ id, name }) => id === idOrName || name === idOrName)) {
    return undefined
  }
  const names = [...new Set(all.map(({ name }) => name))]
  const hint = didYouMean(idOrName, names)
  return new ApiError(
    404,
    `model: no model has the id or name "${idOrName}".${hint} There are: ${names.join(', ') || 'none'}.`,
  )
}

export const modelOperations = [listModels, addModel]
