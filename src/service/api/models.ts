import { apiErrors } from '../contract/errors.js'
import { deleteModelResponse, modelCreate, modelPath, modelResponse } from '../contract/model.js'
import { logRequest } from '../contract/trajectory.js'
import { anything, string } from '../contract/pydantic/scalars.js'
import { documentedAs } from '../contract/pydantic/documented-as.js'
import { list } from '../contract/pydantic/containers.js'
import { nothing } from '../contract/pydantic/nothing.js'
import { summarize } from '../engine/jobs/batch.js'
import { counted } from '../../base/text/counted.js'
import type { ModelRecord } from '../engine/model.js'
import { operation } from './operation.js'
import { findModel, mayUse } from './ownership.js'

const createModel = operation({
  id: 'createModel',
  host: 'training',
  method: 'POST',
  path: '/v1/preview/models',
  name: 'create_model',
  tag: 'models',
  summary: 'Create Model',
  auth: 'bearer',
  body: modelCreate,
  response: modelResponse,
  refusals: [404, 409],
  async run({ engine, account, body, entry }) {
    const { project, name, base_model, return_existing } = body
    const entity = body.entity ?? account.entity
    if (!mayUse({ engine, account }, entity)) return apiErrors.entityNotFound(entity)
    const full = { entity, project, name, cause: entry.id }
    const { state, created } = await engine.modelCalled(full, base_model)
    if (!created && !return_existing) return apiErrors.modelExists(name, project)
    entry.effects.push(`${created ? 'created' : 'found'} model ${fullName(state.record)}`)
    const kept = state.record.base_model
    if (kept !== base_model) entry.hint = `the model has the base model ${kept}, not ${base_model}`
    return state.record
  },
})

const deleteModel = operation({
  id: 'deleteModel',
  host: 'training',
  method: 'DELETE',
  path: '/v1/preview/models/{model_id}',
  name: 'delete_model',
  tag: 'models',
  summary: 'Delete Model',
  auth: 'bearer',
  params: modelPath,
  response: deleteModelResponse,
  run({ engine, account, params, entry }) {
    const model = findModel({ engine, account }, params.model_id)
    if (!model) return apiErrors.modelNotFound()
    const deleted_checkpoints = model.checkpoints.size
    engine.deleteModel(model)
    entry.effects.push(`deleted model ${fullName(model.record)}`)
    return { model_id: params.model_id, deleted_checkpoints, deleted_run: true }
  },
})

const logTrajectories = operation({
  id: 'logTrajectories',
  host: 'training',
  method: 'POST',
  path: '/v1/preview/models/{model_id}/log',
  name: 'log',
  tag: 'models',
  summary: 'Log',
  auth: 'bearer',
  params: modelPath,
  body: logRequest,
  response: documentedAs(anything, nothing),
  run({ engine, account, params, body, entry }) {
    const model = findModel({ engine, account }, params.model_id)
    if (!model) return apiErrors.modelNotFound()
    engine.lineage.logged(model, body.trajectory_groups, body.split)
    const { reward, metrics, trajectories } = summarize(body.trajectory_groups)
    const latest = model.checkpoints.latest
    if (latest && reward !== undefined) {
      const figures = [['reward', reward] as const, ...metrics].map(([name, value]) => {
        return [`${body.split}/${name}`, value] as const
      })
      engine.checkpointing.measure(model, latest, new Map(figures))
      const logged = counted(trajectories, 'trajectory', 'trajectories')
      entry.effects.push(`logged ${logged} of "${body.split}" on step ${latest.step}`)
    }
    // The framework encodes None as null.
    return null
  },
})

const listBaseModels = operation({
  id: 'listBaseModels',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/base-models',
  name: 'list_base_models',
  tag: 'models',
  summary: 'List Base Models',
  auth: 'open',
  response: list(string),
  run: ({ engine }) => engine.store.baseModels.all().map(({ id }) => id),
})

function fullName({ entity, project, name }: ModelRecord): string {
  return `${entity}/${project}/${name}`
}

export const modelOperations = [createModel, deleteModel, logTrajectories, listBaseModels]
