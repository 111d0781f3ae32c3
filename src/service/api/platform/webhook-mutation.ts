import { firstOf } from '../../../base/text/counted.js'
import { webUrl } from '../../../base/text/options.js'
import { withoutCredentials } from '../../../base/text/redaction/credentials.js'
import { MOST_NAMED } from '../../scenario/most-named.js'
import { plainWebhook } from '../../scenario/plain-webhook.js'
import type { WebhookParts } from '../../scenario/scenario.js'
import { quoted } from '../../platform/platform-error.js'
import { webhookView } from './automation-views.js'
import { checkEntity, StatusError, type PlatformCall, type View } from './call.js'

export interface WebhookFields {
  readonly entityName: string
  readonly name: string
  readonly urlEndpoint: string
  readonly accessTokenRef?: string | null
  readonly secretRef?: string | null
}

const WEBHOOK_NAME = /^[-\w]+(?: +[-\w]+)*$/
const LONGEST_WEBHOOK_NAME = 64

/** Makes a webhook of an entity. */
export function addWebhook(input: WebhookFields, call: PlatformCall): View {
  const { automations } = call
  const { name, urlEndpoint: url } = input
  const entity = checkEntity(call, input.entityName)
  const { webhooks, secrets } = automations.parts
  checkNew(name, webhooks)
  if (!webUrl.accepts(url)) {
    const shown = quoted(withoutCredentials(url))
    throw new StatusError('invalid', `The urlEndpoint is ${shown}; expected ${webUrl.expected}.`)
  }
  const webhook = {
    ...plainWebhook,
    name,
    url,
    entity,
    access_token: secretNamed(input.accessTokenRef, secrets),
    secret: secretNamed(input.secretRef, secrets),
  }
  automations.add({ secrets: {}, webhooks: [webhook], automations: [] })
  return webhookView(webhook)
}

function checkNew(name: string, webhooks: WebhookParts['webhooks']): void {
  if (!WEBHOOK_NAME.test(name) || name.length > LONGEST_WEBHOOK_NAME) {
    throw new StatusError(
      'invalid',
      `The name of the webhook is ${quoted(name)}; expected 1 to ${LONGEST_WEBHOOK_NAME} letters, digits, _, - and spaces between them.`,
    )
  }
  if (webhooks.some((each) => each.name === name)) {
    throw new StatusError('conflict', `There is a webhook ${quoted(name)} already.`)
  }
  if (webhooks.length >= MOST_NAMED) {
    throw new StatusError('limit', `There are ${MOST_NAMED} webhooks already.`)
  }
}

/** The name of a secret that a client refers to, if it does. */
function secretNamed(
  reference: string | null | undefined,
  secrets: WebhookParts['secrets'],
): string | undefined {
  if (!reference) return undefined
  if (Object.hasOwn(secrets, reference)) return reference
  const known = firstOf(Object.keys(secrets), 10)
  throw new StatusError(
    'not-found',
    `There is no secret ${quoted(reference)} of the team. There are: ${known || 'none'}.`,
  )
}
