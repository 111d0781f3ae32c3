import type { ComponentChildren } from 'preact'
import type { BodyOf } from '../../emulator/control/client/call.js'
import type { ControlWebhook as Webhook } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { useBodySchema, useScenarioSchema } from '../data/use-schema.js'
import { Form } from '../kit/form.js'
import { offering, valuesOf, type FormField } from '../kit/fields.js'
import { Loaded } from '../parts/page.js'

const SECRET = { example: 'none' }
const FIELDS: readonly FormField[] = [
  { place: 'name', label: 'Name' },
  { place: 'url', label: 'URL' },
  { place: 'secret', label: 'Secret that signs', ...SECRET },
  { place: 'access_token', label: 'Secret sent as access token', ...SECRET },
  { place: 'signature.header', label: 'Header of the signature' },
  { place: 'signature.prefix', label: 'Prefix', example: 'such as sha256=' },
  { place: 'signature.encoding', label: 'Encoding' },
  { place: 'timeout', label: 'Timeout' },
  { place: 'retries', label: 'Retries', example: 'such as 1s, 10s' },
  { place: 'signature.standard', label: 'headers of Standard Webhooks' },
  { place: 'adversary', label: 'adversary, as JSON', example: '[{"do": "duplicate"}]' },
]

interface WebhookFormProps {
  /** The webhook to change. Default: a new one. */
  webhook: Webhook | undefined
  /** The names of the secrets. */
  secrets: readonly string[]
  done: () => void
  cancel: () => void
}

/** Adds or changes a webhook. */
export function WebhookForm(props: WebhookFormProps): ComponentChildren {
  const { webhook, secrets, done, cancel } = props
  const scenario = useScenarioSchema()
  const { secret, access_token } = webhook ?? {}
  const known = [
    ...new Set([...secrets, secret, access_token].filter((each) => each !== undefined)),
  ]
  const items = scenario.value?.properties?.['webhooks']?.items
  const webhooks = items && offering(items, { secret: known, access_token: known })
  const first = webhook ? 'url' : 'name'
  const fields = FIELDS.map((field) => ({
    ...field,
    focus: field.place === first,
    fixed: field.place === 'name' && webhook !== undefined,
  }))
  return (
    <Loaded of={{ value: webhooks, error: scenario.error }} what="form">
      {(schema) => (
        <Form<BodyOf<'POST /webhooks'>>
          label={webhook ? `Change ${webhook.name}` : 'New webhook'}
          submit={webhook ? 'Save' : 'Add webhook'}
          shapeOf={() => ({ schema, fields, others: 'More settings' })}
          start={webhook ? valuesOf(webhook, schema) : {}}
          send={async (body) => {
            await call('POST /webhooks', { body })
            done()
          }}
          cancel={cancel}
        />
      )}
    </Loaded>
  )
}

const SECRET_FIELDS: readonly FormField[] = [
  { place: 'name', label: 'Name of the secret', example: 'WEBHOOK_SECRET' },
  {
    place: 'value',
    label: 'Value',
    type: 'password',
    exact: true,
    hint: 'Nothing shows it again.',
  },
]

/** Adds or rotates a secret. The field is emptied at once: nothing shows the value again. */
export function SecretForm({ reload }: { reload: () => void }): ComponentChildren {
  return (
    <Loaded of={useBodySchema('SecretRequest')} what="form">
      {(schema) => (
        <Form<BodyOf<'POST /secrets'>>
          label="Set a secret"
          submit="Set secret"
          shapeOf={() => ({ schema, fields: SECRET_FIELDS })}
          send={async (body) => {
            await call('POST /secrets', { body })
            reload()
          }}
        />
      )}
    </Loaded>
  )
}
