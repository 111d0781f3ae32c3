import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { AnswerOf } from '../../emulator/control/client/call.js'
import type { ControlDelivery, ControlWebhook as Webhook } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { MOST_DELIVERIES, useDeliveries } from '../data/use-deliveries.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { Confirm } from '../parts/confirm.js'
import { Form, LineForm } from '../kit/form.js'
import type { FormField } from '../kit/fields.js'
import { Loaded, Page } from '../parts/page.js'
import { ActionButton } from '../parts/action-button.js'
import { Badge, counted, Facts, milliseconds } from '../parts/wording.js'
import { hrefOf } from '../routes.js'
import { Automations, type Automation } from './automations.js'
import { TriggerForm } from './trigger-form.js'
import { SecretForm, WebhookForm } from './webhook-form.js'

/** The webhooks of the world, and the automations that call them. */
export function WebhooksPage(): ComponentChildren {
  const loaded = useLoaded(async () => {
    const [{ webhooks }, { automations }, { secrets }] = await Promise.all([
      call('GET /webhooks'),
      call('GET /automations'),
      call('GET /secrets'),
    ])
    return { webhooks, automations, secrets }
  })
  useReloadOn(['note', 'delivery'], loaded.reload)
  return (
    <Page title="Webhooks">
      <Loaded of={loaded} what="webhooks">
        {(config) => <Config of={config} reload={loaded.reload} />}
      </Loaded>
    </Page>
  )
}

interface ConfigProps {
  of: {
    webhooks: readonly Webhook[]
    automations: readonly Automation[]
    secrets: readonly string[]
  }
  reload: () => void
}

function Config({ of: config, reload }: ConfigProps): ComponentChildren {
  const { webhooks, automations, secrets } = config
  const { value: deliveries = [] } = useDeliveries()
  return (
    <>
      <Webhooks of={config} deliveries={deliveries} reload={reload} />
      <Secrets names={secrets} reload={reload} />
      <Automations
        automations={automations}
        webhooks={webhooks.map(({ name }) => name)}
        deliveries={deliveries}
        reload={reload}
      />
      <section class="actions" aria-label="Trigger an event">
        <h2>Trigger an event</h2>
        <TriggerForm />
      </section>
    </>
  )
}

interface WebhooksProps extends ConfigProps {
  deliveries: readonly ControlDelivery[]
}

function Webhooks({ of, deliveries, reload }: WebhooksProps): ComponentChildren {
  const { webhooks, automations, secrets } = of
  // The form shows the webhook with this name. An empty name: a new one.
  const [edited, setEdited] = useState<string>()
  return (
    <section class="stack" aria-label="Webhooks">
      <div class="line">
        <button aria-expanded={edited === ''} onClick={() => setEdited('')}>
          New webhook
        </button>
        <a href={hrefOf({ page: 'deliveries' })}>All deliveries</a>
      </div>
      {edited !== undefined && (
        <WebhookForm
          key={edited}
          webhook={webhooks.find(({ name }) => name === edited)}
          secrets={secrets}
          done={() => {
            setEdited(undefined)
            reload()
          }}
          cancel={() => setEdited(undefined)}
        />
      )}
      {webhooks.length === 0 && edited === undefined && <NoWebhooks />}
      {webhooks.map((each) => (
        <WebhookCard
          key={each.name}
          webhook={each}
          deliveries={deliveries.filter((delivery) => delivery.webhook === each.name)}
          automations={automations.filter((rule) => rule.webhook === each.name).length}
          edit={() => setEdited(each.name)}
          reload={reload}
        />
      ))}
      {deliveries.length >= MOST_DELIVERIES && (
        <p class="faint">The counts are those of the latest {MOST_DELIVERIES} deliveries.</p>
      )}
    </section>
  )
}

function NoWebhooks(): ComponentChildren {
  return (
    <div class="empty">
      <p>No webhooks. A webhook says where deliveries go, and an automation says when.</p>
      <p>Add one above, or in the scenario:</p>
      <pre>
        {`secrets: { WEBHOOK_SECRET: keep-me-secret }
webhooks: [{ name: deploy, url: http://127.0.0.1:8080/hooks, secret: WEBHOOK_SECRET }]
automations: [{ name: job-over, event: RUN_STATE, webhook: deploy, states: [finished] }]`}
      </pre>
    </div>
  )
}

interface CardProps {
  webhook: Webhook
  deliveries: readonly ControlDelivery[]
  automations: number
  edit: () => void
  reload: () => void
}

function WebhookCard(props: CardProps): ComponentChildren {
  const { webhook, deliveries, automations, edit, reload } = props
  const { name, disabled } = webhook
  const params = { name }
  return (
    <article class="card" aria-label={`Webhook ${name}`}>
      <div class="line">
        <h2>{name}</h2>
        {disabled === null ? (
          <Badge tone="good">enabled</Badge>
        ) : (
          <Badge tone="bad">disabled</Badge>
        )}
        <Success of={deliveries} name={name} />
      </div>
      {disabled !== null && <p class="bad">{disabled}</p>}
      <WebhookFacts of={webhook} />
      <div class="line">
        {disabled !== null && (
          <ActionButton act={() => call('POST /webhooks/{name}/enable', { params })} done={reload}>
            Enable
          </ActionButton>
        )}
        <button aria-label={`Change ${name}`} onClick={edit}>
          Change
        </button>
        <Confirm
          label="Remove"
          name={`Remove ${name}`}
          question={`Removes ${counted(automations, 'automation')}, too.`}
          act={() => call('DELETE /webhooks/{name}', { params })}
          done={reload}
        />
      </div>
      <TestForm name={name} />
      <ExplainForm name={name} header={webhook.signature.header} />
    </article>
  )
}

/** Where and how the deliveries are sent. */
function WebhookFacts({ of: webhook }: { of: Webhook }): ComponentChildren {
  const { url, secret, access_token, timeout, retries, adversary } = webhook
  const again = retries.length > 0 ? `, again after ${retries.join(', ')}` : ''
  const broken = adversary.map((rule) => JSON.stringify(rule)).join(' ')
  return (
    <Facts
      look="pairs"
      of={{
        URL: url ?? 'none: the --webhook URL, or the sink of the test',
        Signature: signatureText(webhook),
        Secret: secret ?? 'none: deliveries are not signed',
        'Access token': access_token,
        Attempts: `timeout ${timeout}${again}`,
        'What goes wrong': broken || undefined,
      }}
    />
  )
}

function signatureText({ signature }: Webhook): string {
  const { header, encoding, prefix, standard } = signature
  const own = `${header}: ${prefix}<HMAC-SHA256 of the body, ${encoding}>`
  return standard ? `${own}, and the headers of Standard Webhooks` : own
}

/** How many of the latest deliveries arrived, with a link to all of them. */
function Success({
  of: deliveries,
  name,
}: {
  of: readonly ControlDelivery[]
  name: string
}): ComponentChildren {
  const arrived = deliveries.filter(({ state }) => state === 'delivered').length
  const failed = deliveries.filter(({ state }) => state === 'failed').length
  const over = arrived + failed
  return (
    <>
      <a href={hrefOf({ page: 'deliveries' }, { search: name })}>
        {counted(deliveries.length, 'delivery', 'deliveries')}
      </a>
      {over > 0 && (
        <span class={failed === 0 ? 'good' : 'bad'}>
          {Math.floor((100 * arrived) / over)} % delivered
        </span>
      )}
    </>
  )
}

type Outcome = AnswerOf<'POST /webhooks/{name}/test'>

const TEST_SCHEMA: JsonSchema = { properties: { payload: { type: 'string' } } }
const PAYLOAD: FormField = {
  place: 'payload',
  label: 'Payload, as JSON',
  example: '{"hello": "receiver"}',
  size: 30,
}

/** Sends a test delivery, and shows what the receiver answered. */
function TestForm({ name }: { name: string }): ComponentChildren {
  return (
    <LineForm<{ payload?: string }>
      label={`Test ${name}`}
      submit="Send a test"
      schema={TEST_SCHEMA}
      fields={[PAYLOAD]}
      waiting="Sending…"
      send={async (body) => {
        const answer = await call('POST /webhooks/{name}/test', { params: { name }, body })
        return <TestOutcome of={answer} />
      }}
    />
  )
}

function TestOutcome({ of }: { of: Outcome }): ComponentChildren {
  const { status, took, error, response_excerpt } = of
  const good = error === null
  return (
    <span class={good ? 'good' : 'bad'}>
      {status ?? 'No answer'} after {milliseconds(took)}. {error}{' '}
      {response_excerpt && <code>{response_excerpt}</code>}
    </span>
  )
}

/** A delivery as the user pastes it. */
interface PastedDelivery {
  headers: string
  body?: string
}

const PASTED_SCHEMA: JsonSchema = {
  required: ['headers'],
  properties: { headers: { type: 'string' }, body: { type: 'string' } },
}

function pastedFields(header: string): FormField[] {
  const common = { rows: 2, wide: true }
  return [
    {
      place: 'headers',
      label: 'Headers',
      hint: 'One in each line. A line without a colon is the signature itself.',
      example: `${header}: 5d41402abc4b2a76…`,
      ...common,
    },
    {
      place: 'body',
      label: 'Raw body',
      hint: 'Paste the bytes as they arrived: each space counts.',
      example: '{"event":"…"}',
      exact: true,
      ...common,
    },
  ]
}

interface ExplainFormProps {
  name: string
  header: string
}

/** Says what is wrong with the signature of a delivery that the user pastes. */
function ExplainForm({ name, header }: ExplainFormProps): ComponentChildren {
  return (
    <details>
      <summary>Explain a signature</summary>
      <Form<PastedDelivery>
        label={`Explain a signature of ${name}`}
        submit="Explain"
        isPart
        shapeOf={() => ({ schema: PASTED_SCHEMA, fields: pastedFields(header) })}
        send={async ({ headers, body = '' }) => {
          const sent = { headers: headersIn(headers, header), body }
          const params = { name }
          const answer = await call('POST /webhooks/{name}/explain', { params, body: sent })
          return (
            <>
              <Badge tone={answer.verdict === 'valid' ? 'good' : 'bad'}>{answer.verdict}</Badge>{' '}
              {answer.diagnosis}
            </>
          )
        }}
      />
    </details>
  )
}

/** The headers that the user pasted. A line without a colon is the value of `header`. */
function headersIn(text: string, header: string): Record<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      const name = colon > 0 ? line.slice(0, colon).trim() : header
      return [name, line.slice(colon > 0 ? colon + 1 : 0).trim()]
    }),
  )
}

/** The secrets by name. Nothing shows their values. */
function Secrets({
  names,
  reload,
}: {
  names: readonly string[]
  reload: () => void
}): ComponentChildren {
  return (
    <section class="stack" aria-label="Secrets">
      <h2>Secrets</h2>
      {names.map((name) => (
        <div key={name} class="line">
          <span class="mono">{name}</span>
          <Confirm
            label="Remove"
            name={`Remove the secret ${name}`}
            question="Webhooks that sign with it send unsigned deliveries from then on."
            act={() => call('DELETE /secrets/{name}', { params: { name } })}
            done={reload}
          />
        </div>
      ))}
      <SecretForm reload={reload} />
    </section>
  )
}
