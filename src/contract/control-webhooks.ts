import { anything } from './validation/anything.js'
import { dictionary } from './validation/dictionary.js'
import { defaulted, optional } from './validation/fields.js'
import { boundedInteger, integer } from './validation/integer.js'
import { list } from './validation/list.js'
import { literal } from './validation/literal.js'
import { model } from './validation/model.js'
import { nullable } from './validation/nullable.js'
import { number } from './validation/number.js'
import { parameters } from './validation/parameters.js'
import type { Infer } from './validation/schema.js'
import { string } from './validation/string.js'
import { union } from './validation/union.js'

/** What goes over the wire of the control API about webhooks. Secrets are told by name alone. */

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = model('SecretRequest', { name: string, value: string })
export const namePath = parameters('path', { name: string })

export const webhooks = model('Webhooks', { webhooks: list(dictionary(anything)) })
export const automations = model('Automations', { automations: list(dictionary(anything)) })
/** As a scenario would have it. */
export const partRequest = dictionary(anything)

export const testRequest = model('TestRequest', {
  payload: optional(union([string, dictionary(anything)])),
})
export const testOutcome = model('TestOutcome', {
  status: nullable(integer),
  took: number,
  error: nullable(string),
  response_excerpt: nullable(string),
})

export const triggerRequest = dictionary(anything)
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
export const deliveryFilter = parameters('query', {
  webhook: optional(string),
  automation: optional(string),
  event: optional(string),
  state: optional(deliveryState),
  job: optional(string, { description: 'The id of the job that led to it.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 20_000 }), () => 1000, {
    description: 'The latest so many.',
  }),
})

export const sinkFilter = parameters('query', {
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
