import { DEFAULT_PROJECT } from '../../models.js'
import { boolean, number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlBody } from './body-and-query.js'

const controlModel = model('ControlModel', {
  id: required(string, { description: 'The id of the model.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'Its name.' }),
  base_model: required(string, { description: 'The id of its base model.' }),
  checkpoints: list(
    model('ControlCheckpoint', {
      step: required(integer, { description: 'The step of the checkpoint.' }),
      id: required(string, { description: 'Its id.' }),
      created_at: required(string, { description: 'When it was added.' }),
      aliases: required(list(string), { description: 'Its aliases.' }),
      metrics: required(dictionary(nullable(number)), { description: 'Its metrics, by name.' }),
      served: required(boolean, { description: 'Whether chat serves it now.' }),
      served_from: required(nullable(string), {
        description: 'When chat starts to serve it. Null: at once.',
      }),
      served_until: required(nullable(string), {
        description: 'When chat stops to serve it. Null: never.',
      }),
      expires_at: required(nullable(string), { description: 'When it is deleted. Null: never.' }),
    }),
  ),
  deleted_steps: required(list(integer), {
    description: 'The steps of its deleted checkpoints, in ascending order.',
  }),
  jobs: required(integer, { description: 'How many jobs it has.' }),
})
export const models = model('Models', { models: list(controlModel) })
export const controlModelPath = parameters('path', { model_id: string })
export const checkpointPath = parameters('path', {
  model_id: string,
  step: boundedInteger({ ge: 0 }),
})
export const modelRequest = controlBody('ModelRequest', {
  name: required(string, { description: 'The name of the model.' }),
  project: optional(string, { description: `The project. By default, ${DEFAULT_PROJECT}.` }),
  entity: optional(string, { description: 'The entity (team or user) that owns the model.' }),
  base_model: optional(string, {
    description: 'The id of a base model. By default, the first one of the scenario.',
  }),
})

/** A model with its checkpoints. */
export type ControlModel = Infer<typeof controlModel>
