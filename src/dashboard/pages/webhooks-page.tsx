import type { ComponentChildren } from 'preact'
import type { ControlWebhook } from '../../emulator/control/schemas/webhooks.js'
import { call } from '../data/control.js'
import { MOST_DELIVERIES } from '../data/use-deliveries.js'
import type { FormField } from '../kit/field-values.js'
import { RecordFacts } from '../kit/detail.js'
import { RowForm } from '../kit/row-form.js'
import { useRecords, useReload, type Listing } from '../kit/records.js'
import { column } from '../kit/value.js'
import { ActionButton } from '../parts/action-button.js'
import { Confirm } from '../parts/confirm.js'
import { counted, figure } from '../parts/amounts.js'
import { Facts } from '../parts/facts.js'
import { hrefOf } from '../routes.js'
import { TriggerForm } from './trigger-form.js'

/** A webhook, with what else the page says about it. */
interface Webhook extends ControlWebhook {
  state: string
  /** How many automations call it. */
  automations: number
  /** The states of its latest deliveries. */
  deliveries: readonly string[]
  /** Whether there may be more of them. */
  isCut: boolean
}

/** The webhooks of the world. */
export const WEBHOOKS: Listing<Webhook> = {
  title: 'Webhooks',
  thing: 'webhook',
  useRows: () => useRecords(loadWebhooks, ['note', 'delivery']),
  keyOf: ({ name }) => name,
  columns: [
    ['Webhook', 'w-event', ({ name }) => name, { sort: true }],
    column('state'),
    ['URL', 'w-grow mono', ({ url }) => url ?? 'none', { sort: true, wide: true }],
    column('secret', { look: 'w-event', wide: true }),
    ['Deliveries', 'w-name', deliveriesLink, { sort: ({ deliveries }) => deliveries.length }],
    ['Delivered', 'w-number', arrivedText, { wide: true }],
  ],
  details: {
    idOf: ({ name }) => `webhook-${name}`,
    show: (webhook) => <Details of={webhook} />,
  },
  find: 'Name, URL or secret',
  add: { label: 'New webhook', Form: WebhookForm },
  Below: () => (
    <section class="actions" aria-label="Trigger an event">
      <h2>Trigger an event</h2>
      <TriggerForm />
    </section>
  ),
  Empty: NoWebhooks,
}

async function loadWebhooks(): Promise<Webhook[]> {
  const [{ webhooks }, { automations }, { deliveries }] = await Promise.all([
    call('GET /webhooks'),
    call('GET /automations'),
    call('GET /deliveries', { query: { limit: MOST_DELIVERIES } }),
  ])
  const isCut = deliveries.length >= MOST_DELIVERIES
  return webhooks.map((each) => ({
    ...each,
    isCut,
    state: each.disabled === null ? 'enabled' : 'disabled',
    automations: automations.filter(({ webhook }) => webhook === each.name).length,
    deliveries: deliveries.filter(({ webhook }) => webhook === each.name).map(({ state }) => state),
  }))
}

function deliveriesLink({ name, deliveries, isCut }: Webhook): ComponentChildren {
  return (
    <a href={hrefOf({ page: 'deliveries' }, { search: name })}>
      {isCut
        ? `${figure(deliveries.length)} or more`
        : counted(deliveries.length, 'delivery', 'deliveries')}
    </a>
  )
}

/** How many of the latest deliveries arrived. */
function arrivedText({ deliveries }: Webhook): ComponentChildren {
  const arrived = deliveries.filter((state) => state === 'delivered').length
  const failed = deliveries.filter((state) => state === 'failed').length
  const over = arrived + failed
  if (over === 0) return <span class="faint">–</span>
  return <span class={failed === 0 ? 'good' : 'bad'}>{Math.floor((100 * arrived) / over)} %</span>
}

function NoWebhooks(): ComponentChildren {
  return (
    <>
      <p>No webhooks. A webhook says where deliveries go, and an automation says when.</p>
      <p>Add one above, or in the scenario:</p>
      <pre>
        {`secrets: { WEBHOOK_SECRET: keep-me-secret }
webhooks: [{ name: deploy, url: http://127.0.0.1:8080/hooks, secret: WEBHOOK_SECRET }]
automations: [{ name: job-over, event: RUN_STATE, webhook: deploy, states: [finished] }]`}
      </pre>
    </>
  )
}

/** What `loadWebhooks` adds and other parts of the page show, and what is the first line of the details. */
const NOT_FACTS = ['name', 'disabled', 'state', 'automations', 'deliveries', 'isCut'] as const

/** All of a webhook, and what one can do with it. */
function Details({ of: webhook }: { of: Webhook }): ComponentChildren {
  const reload = useReload()
  const { name, disabled } = webhook
  const params = { name }
  return (
    <div class="stack">
      {disabled !== null && <p class="bad">{disabled}</p>}
      <Sending of={webhook} />
      <div class="line">
        {disabled !== null && (
          <ActionButton act={() => call('POST /webhooks/{name}/enable', { params })} done={reload}>
            Enable
          </ActionButton>
        )}
        <Confirm
          label="Remove"
          name={`Remove ${name}`}
          question={lossText(webhook)}
          act={() => call('DELETE /webhooks/{name}', { params })}
          done={reload}
        />
      </div>
      <details>
        <summary>Change</summary>
        <WebhookForm of={webhook} />
      </details>
      <details>
        <summary>Send a test</summary>
        <RowForm
          row="POST /webhooks/{name}/test"
          params={params}
          label={`Test ${name}`}
          submit="Send a test"
          fields={TEST}
          done={({ response_excerpt: text, ...outcome }) => (
            <>
              <RecordFacts of={outcome} />
              {text && <pre tabIndex={0}>{text}</pre>}
            </>
          )}
          look="part"
        />
      </details>
      <details>
        <summary>Explain a signature</summary>
        <RowForm
          row="POST /webhooks/{name}/explain"
          params={params}
          label={`Explain a signature of ${name}`}
          submit="Explain"
          fields={PASTED}
          done={(explained) => <RecordFacts of={explained} />}
          look="part"
        />
      </details>
    </div>
  )
}

/** What is lost with a webhook. */
function lossText({ automations }: Webhook): string {
  if (automations === 0) return 'No automation calls it.'
  return `Removes ${counted(automations, 'automation')}, too.`
}

/** How the deliveries of a webhook are sent, and how many arrive. */
function Sending({ of: webhook }: { of: Webhook }): ComponentChildren {
  const { secret, signature, adversary } = webhook
  const { header, encoding, prefix, standard } = signature
  const own = `${header}: ${prefix}<HMAC-SHA256 of the body, ${encoding}>`
  const signed = <code>{standard ? `${own}, and the headers of Standard Webhooks` : own}</code>
  const signedText = secret === undefined ? 'none: deliveries have no secret to sign with' : signed
  return (
    <>
      <RecordFacts of={webhook} without={NOT_FACTS} />
      <Facts of={{ Signature: signedText, Delivered: arrivedText(webhook) }} />
      {adversary.length > 0 && (
        <p>
          What goes wrong: <code>{JSON.stringify(adversary)}</code>
        </p>
      )}
    </>
  )
}

const TEST: readonly FormField[] = [
  { place: 'payload', label: 'Payload, as JSON', json: true, example: '{"hello": "receiver"}' },
]
const PASTED: readonly FormField[] = [
  { place: 'headers', label: 'Headers', example: 'X-Service-Signature: 5d41402abc4b…', wide: true },
  {
    place: 'body',
    label: 'Raw body',
    hint: 'Paste the bytes as they arrived: each space counts.',
    exact: true,
    rows: 2,
    wide: true,
  },
]

const FIELDS: readonly FormField[] = [
  { place: 'name', label: 'Name' },
  { place: 'url', label: 'URL' },
  { place: 'secret', label: 'Secret that signs', example: 'none' },
  { place: 'access_token', label: 'Secret sent as access token', example: 'none' },
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
  of?: ControlWebhook
  close?: () => void
}

/** Adds or changes a webhook. */
function WebhookForm({ of: webhook, close }: WebhookFormProps): ComponentChildren {
  const reload = useReload()
  return (
    <RowForm
      row="POST /webhooks"
      label={webhook ? `Change ${webhook.name}` : 'New webhook'}
      submit={webhook ? 'Save' : 'Add webhook'}
      {...(webhook && { look: 'part' })}
      fields={FIELDS.map((field) => ({
        ...field,
        focus: field.place === 'name' && !webhook,
        fixed: field.place === 'name' && webhook !== undefined,
      }))}
      others="More settings"
      offers={() => secretsFor(webhook)}
      start={{ ...webhook }}
      keeps
      done={() => {
        reload()
        close?.()
        return webhook && 'Saved.'
      }}
      {...(close && { cancel: close })}
    />
  )
}

/** The names of the secrets that there are, and of those that the webhook uses. */
async function secretsFor(webhook: ControlWebhook | undefined) {
  const { secrets } = await call('GET /secrets')
  const used = [webhook?.secret, webhook?.access_token].filter((each) => each !== undefined)
  const names = [...new Set([...secrets, ...used])]
  return { secret: names, access_token: names }
}
