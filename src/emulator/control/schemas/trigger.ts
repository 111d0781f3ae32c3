import { anything, number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { RUN_STATES } from '../../../service/scenario/run-states.js'
import { controlBody } from './body-and-query.js'

export const triggerRequest = controlBody('TriggerRequest', {
  event: required(string, {
    description: 'The name of the event, such as ADD_ARTIFACT_ALIAS, in any case.',
  }),
  job_id: optional(string, {
    description: 'Takes the defaults of the other fields from this job.',
  }),
  to: optional(string, {
    description: 'The name of a webhook that receives the event without an automation.',
  }),
  entity: optional(string, { description: 'The entity of the event.' }),
  project: optional(string, { description: 'The project of the event.' }),
  registry: optional(string, { description: 'The registry that the event belongs to.' }),
  collection: optional(string, { description: 'The collection of the artifact.' }),
  version: optional(integer, { description: 'The version of the artifact.' }),
  alias: optional(string, { description: 'The alias that was added.' }),
  tag: optional(string, { description: 'The tag that was added.' }),
  author: optional(string, { description: 'The user who caused the event.' }),
  metadata: optional(dictionary(anything), { description: 'The metadata of the artifact.' }),
  run: optional(string, { description: 'The name of the run.' }),
  state: optional(literal(...RUN_STATES), {
    description: 'The state of the run.',
  }),
  metrics: optional(dictionary(number), { description: 'Metrics of the run, by name.' }),
})
export const triggered = model('Triggered', { deliveries: list(string) })
