import { dictionary } from './pydantic/dictionary.js'
import { documentedAs } from './pydantic/documented-as.js'
import { anyInteger, integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { model } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { number } from './pydantic/number.js'
import type { Infer } from './pydantic/schema.js'
import { uuid } from './pydantic/uuid.js'

// A metric that is not finite is null. The document of the service does not say so.
const metrics = documentedAs(dictionary(number), dictionary(nullable(number)))

export const checkpointResponse = model(
  'CheckpointResponse',
  { id: uuid, step: integer, metrics },
  { description: 'A checkpoint of a model.' },
)

export type CheckpointAnswer = Infer<typeof checkpointResponse>

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
