import { dictionary } from './validation/dictionary.js'
import { integer } from './validation/integer.js'
import { list } from './validation/list.js'
import { model } from './validation/model.js'
import { number } from './validation/number.js'
import { uuid } from './validation/uuid.js'

export const checkpointResponse = model(
  'CheckpointResponse',
  { id: uuid, step: integer, metrics: dictionary(number) },
  { description: 'A checkpoint of a model.' },
)

export const deleteCheckpointsRequest = model(
  'DeleteCheckpointsRequest',
  { steps: list(integer) },
  { description: 'Which checkpoints to delete.' },
)

export const deleteCheckpointsResponse = model(
  'DeleteCheckpointsResponse',
  { deleted_count: integer, not_found_steps: list(integer) },
  { description: 'How many checkpoints were deleted, and which were not there.' },
)
