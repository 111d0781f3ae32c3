import { boolean, string } from './pydantic/scalars.js'
import { defaulted, optional, required } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list, nullable } from './pydantic/containers.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { parameters } from './pydantic/parameters.js'
import type { Infer } from './pydantic/schema.js'
import { uuid } from './pydantic/uuid.js'

export const modelCreate = model(
  'ModelCreate',
  {
    entity: defaulted(nullable(string), () => null, {
      description: 'The team or user that the model belongs to; by default, the owner of the key.',
      examples: ['my-team'],
    }),
    project: required(string, {
      description: 'The project that the model belongs to.',
      examples: ['my-project'],
    }),
    name: required(string, {
      description: "The model's name, which no other model of the project has.",
      examples: ['my-model'],
    }),
    base_model: required(string, {
      description: 'The model that training starts from.',
      examples: ['my-base-model'],
    }),
    return_existing: defaulted(boolean, () => false, {
      description: 'Whether to answer the model that has this name already, if there is one.',
    }),
  },
  { description: 'A model to create.' },
)

export const modelResponse = model(
  'ModelResponse',
  {
    id: uuid,
    entity: string,
    project: string,
    name: string,
    base_model: string,
    run_id: optional(nullable(string)),
  },
  { description: 'A model.' },
)

export const deleteModelResponse = model(
  'DeleteModelResponse',
  { model_id: uuid, deleted_checkpoints: integer, deleted_run: boolean },
  { description: 'What went with a deleted model.' },
)

export const modelPath = parameters('path', { model_id: string })

/** A model that the inference host serves. */
const servedModel = model('ServedModel', {
  id: string,
  object: literal('model'),
  created: integer,
  owned_by: string,
  root: string,
})

export type ServedModel = Infer<typeof servedModel>

export const servedModelList = model('ServedModelList', {
  object: literal('list'),
  data: list(servedModel),
})
