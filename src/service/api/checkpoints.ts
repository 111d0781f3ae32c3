import {
  checkpointResponse,
  deleteCheckpointsRequest,
  deleteCheckpointsResponse,
  type CheckpointAnswer,
} from '../contract/checkpoint.js'
import { apiErrors } from '../contract/errors.js'
import { modelPath } from '../contract/model.js'
import { orderedPageQuery, pageOf } from '../contract/page.js'
import { counted } from '../../base/text/counted.js'
import { nonFiniteJson } from '../../base/text/non-finite.js'
import type { Checkpoint } from '../engine/jobs/checkpoints.js'
import { operation } from './operation.js'
import { WrittenReply } from './result.js'
import { findModel } from './ownership.js'
import { arrivals, cursorOf, readPage } from './paging.js'

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
  run({ engine, account, params, query, pageFaults: faults }) {
    const model = findModel({ engine, account }, params.model_id)
    if (!model) return apiErrors.modelNotFound()
    const after = cursorOf(query)
    const { limit, order } = query
    const { checkpoints, currentJob: job } = model
    // A client that lost the id of its job waits for the checkpoint. The next page is part of the same look.
    if (job && after === undefined) {
      engine.autoSkip.skipToNextEvent(job, `${account.key} checkpoints`)
    }
    const listing = {
      size: checkpoints.size,
      placeAfter: (id: string) => checkpoints.placeAfter(id, order),
      slice: (start: number, end: number) =>
        checkpoints.slice(start, end, order).map(checkpointJson),
    }
    const page = readPage(listing, { after, limit, faults })
    if (!page) return apiErrors.checkpointCursorNotFound(after!)
    for (let made = arrivals(faults); made > 0; made--) engine.checkpointing.add(model)
    if (model.currentJob) engine.training.wasRead(model.currentJob)
    return page
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
  run({ engine, account, params, body, entry }) {
    const model = findModel({ engine, account }, params.model_id)
    if (!model) return apiErrors.modelNotFound()
    const steps = [...new Set(body.steps)]
    const not_found_steps = steps.filter((step) => {
      return typeof step === 'bigint' || !engine.checkpointing.delete(model, step)
    })
    const deleted_count = steps.length - not_found_steps.length
    entry.effects.push(`deleted ${counted(deleted_count, 'checkpoint')} of ${model.record.name}`)
    return new WrittenReply(nonFiniteJson({ deleted_count, not_found_steps }))
  },
})

function checkpointJson({ id, step, metrics }: Checkpoint): CheckpointAnswer {
  return { id, step, metrics: Object.fromEntries(metrics) }
}

export const checkpointOperations = [listCheckpoints, deleteCheckpoints]
