import { dictionary } from './pydantic/dictionary.js'
import { anyInteger, integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { model } from './pydantic/model.js'
import { number } from './pydantic/number.js'
import { uuid } from './pydantic/uuid.js'

export const checkpointResponse = model(
  'CheckpointResponse',
  { id: uuid, step: integer, metrics: dictionary(number) },
  { description: 'A checkpoint of a model.' },
)

/** Its steps are exact, because the answer lists them. */
export const deleteCheckpointsRequest = {
  ...model(
    'DeleteCheckpointsRequest',
    { steps: list(anyInteger) },
    { description: 'Which checkpoints to delete.' },
  ),
  exact: true,
}

export const deleteCheckpointsResponse = model(
  'DeleteCheckpointsResponse',
  { deleted_count: integer, not_found_steps: list(integer) },
  { description: 'How many checkpoints were deleted, and which were not there.' },
)
