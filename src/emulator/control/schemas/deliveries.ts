import { number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlBody, controlQuery, upTo } from './body-and-query.js'

const deliveryState = literal('pending', 'delivered', 'failed', 'cancelled')

export const copy = optional(integer, {
  description: 'Which copy of the delivery it is, from 2. Absent for the delivery itself.',
})

export const oneDelivery = model('ControlDelivery', {
  id: required(string, { description: 'Its id, which is the same in each attempt.' }),
  automation: required(string, { description: 'The automation that fired.' }),
  webhook: required(string, { description: 'The webhook that was called.' }),
  url: required(string, { description: 'Where its latest attempt went.' }),
  event: required(string, { description: 'The event that fired.' }),
  text: required(string, {
    description: 'The event and what it is about: `RUN_STATE failed · poet #2`.',
  }),
  state: required(deliveryState, { description: 'What has become of it.' }),
  created_at: required(string, { description: 'When it was created.' }),
  job_id: required(nullable(string), { description: 'The job that caused it.' }),
  attempts: list(
    model('ControlAttempt', {
      attempt: required(integer, { description: 'Its number, from 1.' }),
      copy,
      at: required(string, { description: 'When it was made.' }),
      status: required(nullable(integer), { description: 'The HTTP status of the answer.' }),
      took: required(number, { description: 'Milliseconds of real time until the answer.' }),
      error: required(nullable(string), { description: 'Why it failed.' }),
      response_excerpt: required(nullable(string), { description: 'The beginning of the answer.' }),
    }),
  ),
  body: required(string, { description: 'The body that is sent.' }),
  headers: required(dictionary(string), { description: 'The headers that are sent.' }),
  verdict: required(nullable(string), {
    description:
      'What the emulator says about the signature that was sent last. Null: none was sent.',
  }),
  diagnosis: required(nullable(string), {
    description:
      'Why the latest attempt failed, and what is wrong with its signature. A list says of the signature only what the scenario did to it.',
  }),
})
export const deliveries = model('Deliveries', { deliveries: list(oneDelivery) })
export const deliveryPath = parameters('path', { delivery_id: string })

const ofWhat = {
  webhook: optional(string, { description: 'The name of a webhook.' }),
  automation: optional(string, { description: 'The name of an automation.' }),
  event: optional(string, { description: 'The name of an event.' }),
  job: optional(string, { description: 'The id of the job that caused them.' }),
}
export const deliveryFilter = controlQuery({
  ...ofWhat,
  state: optional(deliveryState, { description: 'Only those in this state.' }),
  limit: upTo(20_000, 1000, 'Returns only the latest deliveries.'),
})

export const resendRequest = controlBody('ResendRequest', {
  delivery: optional(string, {
    description: 'The id of one delivery, in any state. By default, all that failed.',
  }),
  ...ofWhat,
})

/** A delivery with its attempts. */
export type ControlDelivery = Infer<typeof oneDelivery>
