import {
  checkpointPath,
  controlModelPath,
  modelRequest,
  models,
  type ControlModel,
} from './schemas/models.js'
import { ApiError, apiErrors } from '../../service/contract/errors.js'
import { LOCAL_ACCOUNT } from '../../service/scenario/account.js'
import { noCheckpointText } from '../checkpoints.js'
import {
  DEFAULT_PROJECT,
  defaultBaseModel,
  modelByIdOrName,
  modelToCreate,
  noModelText,
} from '../models.js'
import { isServed } from '../../service/engine/jobs/checkpoints.js'
import type { Engine } from '../../service/engine/engine.js'
import type { ModelState } from '../../service/engine/model.js'
import { toIso } from '../../base/text/iso.js'
import { control } from './row.js'

const listModels = control({
  id: 'listModels',
  method: 'GET',
  path: '/_emulator/models',
  summary: 'The models and their checkpoints',
  response: models,
  run: ({ engine }) => modelsOf(engine),
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
    modelToCreate.check(body)
    const { name, project = DEFAULT_PROJECT, entity = LOCAL_ACCOUNT.entity } = body
    if (engine.store.modelNamed({ entity, project, name })) {
      return apiErrors.modelExists(name, project)
    }
    const { base_model = defaultBaseModel(engine.scenario) } = body
    const cause = engine.journal.note(`control: model ${entity}/${project}/${name}`)
    const { state } = await engine.modelCalled({ entity, project, name, cause }, base_model)
    if (engine.clock.ended) return apiErrors.worldReplaced()
    return { models: [modelState(state, engine.clock.now())] }
  },
})

const removeModel = control({
  id: 'removeModel',
  method: 'DELETE',
  path: '/_emulator/models/{model_id}',
  summary: 'Deletes a model (id or name) with its checkpoints; its unfinished jobs fail',
  params: controlModelPath,
  response: models,
  run({ emulator, engine, params: { model_id } }) {
    if (!modelByIdOrName(engine, model_id)) return noModel(engine, model_id)
    const { name } = emulator.models.delete(model_id)
    engine.journal.note(`control: model ${name} deleted`)
    return modelsOf(engine)
  },
})

const removeCheckpoint = control({
  id: 'removeCheckpoint',
  method: 'DELETE',
  path: '/_emulator/models/{model_id}/checkpoints/{step}',
  summary: 'Deletes one checkpoint of a model (id or name)',
  params: checkpointPath,
  response: models,
  run({ emulator, engine, params: { model_id, step } }) {
    const found = modelByIdOrName(engine, model_id)
    if (!found) return noModel(engine, model_id)
    const { name } = found.record
    if (!found.checkpoints.at(step)) {
      return new ApiError(404, `step: ${noCheckpointText(found, step)}`)
    }
    emulator.checkpoints.delete(step, { model: found.record })
    engine.journal.note(`control: checkpoint ${step} of ${name} deleted`)
    return { models: [modelState(found, engine.clock.now())] }
  },
})

function modelsOf({ store, clock }: Engine) {
  const now = clock.now()
  return { models: [...store.modelStates].map((state) => modelState(state, now)) }
}

function modelState({ record, checkpoints, aliases, jobs }: ModelState, now: number): ControlModel {
  const { run_id: _run, ...named } = record
  const gone = checkpoints.everMade.filter((each) => !checkpoints.at(each.step))
  return {
    ...named,
    checkpoints: checkpoints.all.map((checkpoint) => ({
      step: checkpoint.step,
      id: checkpoint.id,
      created_at: toIso(checkpoint.createdAt),
      aliases: [...aliases].flatMap(([alias, pointed]) => (pointed === checkpoint ? alias : [])),
      metrics: Object.fromEntries(checkpoint.metrics),
      served: isServed(checkpoint, now),
      served_from: momentOf(checkpoint.servedFrom),
      served_until: momentOf(checkpoint.servedUntil),
      expires_at: momentOf(checkpoint.expiresAt),
    })),
    deleted_steps: [...new Set(gone.map(({ step }) => step))].sort((one, other) => one - other),
    jobs: jobs.length,
  }
}

function momentOf(at: number | undefined): string | null {
  return at === undefined ? null : toIso(at)
}

/** Refuses an id or name that no model has. */
export function noModel(engine: Engine, idOrName: string): ApiError {
  return new ApiError(404, `model: no ${noModelText(engine, idOrName)}`)
}

export const modelOperations = [listModels, addModel, removeModel, removeCheckpoint]
