import { controlBody, controlQuery } from './control-input.js'
import { anything } from '../contract/pydantic/anything.js'
import { dictionary } from '../contract/pydantic/dictionary.js'
import { defaulted, optional, required } from '../contract/pydantic/fields.js'
import { boundedInteger, integer } from '../contract/pydantic/integer.js'
import { list } from '../contract/pydantic/list.js'
import { literal } from '../contract/pydantic/literal.js'
import { model } from '../contract/pydantic/model.js'
import { nullable } from '../contract/pydantic/nullable.js'
import { number } from '../contract/pydantic/number.js'
import { parameters } from '../contract/pydantic/parameters.js'
import type { Infer } from '../contract/pydantic/schema.js'
import { string } from '../contract/pydantic/string.js'
import { union } from '../contract/pydantic/union.js'

/** What goes over the wire of the control API about webhooks. Secrets are told by name alone. */

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = controlBody('SecretRequest', { name: string, value: string })
export const namePath = parameters('path', { name: string })

export const webhooks = model('Webhooks', { webhooks: list(dictionary(anything)) })
export const automations = model('Automations', { automations: list(dictionary(anything)) })
/** As a scenario would have it. */
export const partRequest = dictionary(anything)

export const testRequest = controlBody('TestRequest', {
  payload: optional(union([string, dictionary(anything)])),
})
export const testOutcome = model('TestOutcome', {
  status: nullable(integer),
  took: number,
  error: nullable(string),
  response_excerpt: nullable(string),
})

/** An event, what is said of it, and with `to` the one webhook that it goes to. */
export const triggerRequest = controlBody('TriggerRequest', {
  event: required(string, { description: 'Its name, such as ADD_ARTIFACT_ALIAS, in any case.' }),
  job_id: optional(string, { description: 'The facts begin with those of this job.' }),
  to: optional(string, { description: 'A webhook, which gets it without an automation.' }),
  entity: optional(string),
  project: optional(string),
  registry: optional(string),
  collection: optional(string),
  version: optional(integer),
  alias: optional(string),
  tag: optional(string),
  author: optional(string),
  metadata: optional(dictionary(anything)),
  run: optional(string),
  state: optional(literal('running', 'finished', 'failed')),
  metrics: optional(dictionary(number)),
})
export const triggered = model('Triggered', { deliveries: list(string) })

const deliveryState = literal('pending', 'delivered', 'failed', 'cancelled')

const delivery = model('ControlDelivery', {
  id: string,
  automation: string,
  webhook: string,
  event: string,
  state: deliveryState,
  created_at: string,
  job_id: nullable(string),
  attempts: list(
    model('ControlAttempt', {
      attempt: integer,
      at: string,
      status: nullable(integer),
      took: number,
      error: nullable(string),
      response_excerpt: nullable(string),
    }),
  ),
  body: string,
  headers: dictionary(string),
  verdict: nullable(string),
  diagnosis: nullable(string),
})
export const oneDelivery = delivery
export const deliveries = model('Deliveries', { deliveries: list(delivery) })
export const deliveryPath = parameters('path', { delivery_id: string })
export const deliveryFilter = controlQuery({
  webhook: optional(string),
  automation: optional(string),
  event: optional(string),
  state: optional(deliveryState),
  job: optional(string, { description: 'The id of the job that led to it.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 20_000 }), () => 1000, {
    description: 'The latest so many.',
  }),
})

export const sinkFilter = controlQuery({
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 10_000, {
    description: 'The latest so many.',
  }),
})
export const sinkRecords = model('SinkRecords', {
  records: list(
    model('SinkRecord', {
      id: string,
      at: string,
      method: string,
      path: string,
      headers: dictionary(string),
      body: string,
      body_base64: string,
      verdict: string,
      diagnosis: nullable(string),
      duplicate_of: nullable(string),
      same_bytes_as: nullable(string),
      latency: nullable(number),
    }),
  ),
})

export type TestOutcome = Infer<typeof testOutcome>
export type ControlDelivery = Infer<typeof delivery>
export type SinkRecord = Infer<typeof sinkRecords>['records'][number]
