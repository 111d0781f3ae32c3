import {
  checkpointResponse,
  deleteCheckpointsRequest,
  deleteCheckpointsResponse,
} from '../contract/checkpoint.js'
import { apiErrors } from '../contract/errors.js'
import { modelPath } from '../contract/model.js'
import { orderedPageQuery, pageOf } from '../contract/page.js'
import { counted } from '../engine/counted.js'
import type { Checkpoint } from '../engine/checkpoints.js'
import { operation } from './operation.js'
import { cursorOf, toPage } from './paging.js'

const listCheckpoints = operation({
  id: 'listCheckpoints',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/models/{model_id}/checkpoints',
  name: 'list_model_checkpoints',
  tag: 'models',
  summary: 'List Model Checkpoints',
  auth: 'bearer',
  params: modelPath,
  query: orderedPageQuery,
  response: pageOf(checkpointResponse),
  run({ engine, params, query }) {
    const model = engine.store.model(params.model_id)
    if (!model) return apiErrors.modelNotFound()
    const after = cursorOf(query)
    const page = model.checkpoints.page({ ...query, after })
    if (!page) return apiErrors.checkpointCursorNotFound(after!)
    return toPage(page.items.map(shown), page.hasMore)
  },
})

const deleteCheckpoints = operation({
  id: 'deleteCheckpoints',
  host: 'training',
  method: 'DELETE',
  path: '/v1/preview/models/{model_id}/checkpoints',
  name: 'delete_model_checkpoints',
  tag: 'models',
  summary: 'Delete Model Checkpoints',
  auth: 'bearer',
  params: modelPath,
  body: deleteCheckpointsRequest,
  response: deleteCheckpointsResponse,
  run({ engine, params, body, entry }) {
    const model = engine.store.model(params.model_id)
    if (!model) return apiErrors.modelNotFound()
    const steps = [...new Set(body.steps)]
    const not_found_steps = steps.filter((step) => !model.checkpoints.delete(step))
    const deleted_count = steps.length - not_found_steps.length
    entry.effects.push(`deleted ${counted(deleted_count, 'checkpoint')} of ${model.record.name}`)
    return { deleted_count, not_found_steps }
  },
})

function shown({ id, step, metrics }: Checkpoint) {
  return { id, step, metrics: Object.fromEntries(metrics) }
}

export const checkpointOperations = [listCheckpoints, deleteCheckpoints]
