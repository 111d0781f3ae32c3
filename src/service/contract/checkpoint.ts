import { dictionary, list, nullable } from './pydantic/containers.js'
import { documentedAs } from './pydantic/documented-as.js'
import { anyInteger, integer } from './pydantic/integer.js'
import { model } from './pydantic/model.js'
import { number } from './pydantic/scalars.js'
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
