import { anything, boolean, number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import type { AdversaryRule, AutomationRule } from '../../../service/scenario/scenario.js'
import { controlBody, objectOf } from './body-and-query.js'

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = controlBody('SecretRequest', {
  name: required(string, { description: 'The name by which webhooks refer to it.' }),
  value: required(string, { description: 'Its value.' }),
})
export const namePath = parameters('path', { name: string })

const webhook = model('ControlWebhook', {
  name: required(string, { description: 'Its name.' }),
  url: required(nullable(string), { description: 'The URL of the receiver. Null: there is none.' }),
  access_token: optional(string, { description: 'The name of a secret.' }),
  secret: optional(string, { description: 'The name of a secret.' }),
  signature: model('WebhookSignature', {
    header: string,
    encoding: literal('hex', 'base64'),
    prefix: string,
    standard: boolean,
    timestamps: literal('wall', 'clock'),
  }),
  timeout: required(string, { description: 'Such as 250ms, 2s or 1h30m.' }),
  retries: list(string),
  adversary: list(objectOf<AdversaryRule>()),
  disabled: required(nullable(string), { description: 'Why it is disabled, or null.' }),
})
export const webhooks = model('Webhooks', { webhooks: list(webhook) })
export const automations = model('Automations', {
  automations: list(objectOf<AutomationRule>()),
})
/** A webhook or an automation, written as in a scenario. */
export const partRequest = dictionary(anything)

export const testRequest = controlBody('TestRequest', {
  payload: optional(union([string, dictionary(anything)]), {
    description: 'The body to send: a map, or JSON as text.',
  }),
})
export const testOutcome = model('TestOutcome', {
  status: required(nullable(integer), { description: 'The HTTP status of the answer.' }),
  took: required(number, { description: 'Milliseconds of real time until the answer.' }),
  error: required(nullable(string), { description: 'Why there was no good answer.' }),
  response_excerpt: required(nullable(string), { description: 'The beginning of the answer.' }),
})

export const explainRequest = controlBody('ExplainRequest', {
  headers: required(dictionary(string), { description: 'The headers, as they arrived.' }),
  body: required(string, { description: 'The raw body, as it arrived.' }),
})
export const explained = model('Explained', {
  verdict: required(string, { description: 'What the emulator says about the signature.' }),
  diagnosis: required(nullable(string), {
    description: 'What is wrong with it, and what to do. Null: it is valid.',
  }),
})

/** The response of a receiver to a test delivery. */
export type TestOutcome = Infer<typeof testOutcome>
/** What the emulator says about a signature. */
export type Explained = Infer<typeof explained>
/** A webhook, and why it is disabled. */
export type ControlWebhook = Infer<typeof webhook>
