import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlDelivery } from '../../emulator/control/schemas.js'
import type { AnswerOf, BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { Confirm } from '../parts/confirm.js'
import { variantsBy, type JsonSchema } from '../kit/json-schema.js'
import { useScenarioSchema } from '../data/use-schema.js'
import { Form } from '../kit/form.js'
import { offering, type FormField } from '../kit/fields.js'
import type { FormShape } from '../kit/form.js'
import { Loaded } from '../parts/page.js'
import { counted } from '../parts/wording.js'
import { hrefOf } from '../routes.js'

export type Automation = AnswerOf<'GET /automations'>['automations'][number]

interface AutomationsProps {
  automations: readonly Automation[]
  /** The names of the webhooks. */
  webhooks: readonly string[]
  deliveries: readonly ControlDelivery[]
  reload: () => void
}

/** Which event calls which webhook. */
export function Automations(props: AutomationsProps): ComponentChildren {
  const { automations, webhooks, deliveries, reload } = props
  const [adding, setAdding] = useState(false)
  return (
    <section class="stack" aria-label="Automations">
      <div class="line">
        <h2>Automations</h2>
        <button aria-expanded={adding} onClick={() => setAdding(!adding)}>
          New automation
        </button>
      </div>
      {adding && (
        <AutomationForm
          webhooks={webhooks}
          done={() => {
            setAdding(false)
            reload()
          }}
          cancel={() => setAdding(false)}
        />
      )}
      {automations.length === 0 && !adding && (
        <p class="empty">No automations. Without one, no event calls a webhook.</p>
      )}
      {automations.map((each) => (
        <AutomationCard
          key={each.name}
          automation={each}
          count={deliveries.filter(({ automation }) => automation === each.name).length}
          reload={reload}
        />
      ))}
    </section>
  )
}

interface CardProps {
  automation: Automation
  /** How many of the latest deliveries it caused. */
  count: number
  reload: () => void
}

function AutomationCard({ automation, count, reload }: CardProps): ComponentChildren {
  const { name, event, webhook, payload } = automation
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const conditions = conditionText(automation)
  return (
    <article class="card" aria-label={`Automation ${name}`}>
      <div class="line">
        <h3>{name}</h3>
        <span class="mono">{event}</span>
        <span>calls {webhook}</span>
        <a href={hrefOf({ page: 'deliveries' }, { search: event })}>
          {counted(count, 'delivery', 'deliveries')}
        </a>
        <Confirm
          label="Remove"
          name={`Remove the automation ${name}`}
          question="Its events call no webhook from then on."
          act={() => call('DELETE /automations/{name}', { params: { name } })}
          done={reload}
        />
      </div>
      {conditions !== '' && <p class="mono">{conditions}</p>}
      {body !== '{}' && <pre tabIndex={0}>{body}</pre>}
    </article>
  )
}

/** What is said elsewhere, or says nothing. */
const NOT_CONDITIONS = ['name', 'event', 'webhook', 'payload', 'description']

function conditionText(automation: Automation): string {
  return Object.entries(automation)
    .filter(([name]) => !NOT_CONDITIONS.includes(name))
    .map(([name, value]) => [name, valueText(value)] as const)
    .filter(([name, text]) => text !== '{}' && (text !== 'false' || name === 'enabled'))
    .map(([name, text]) => `${name} ${text}`)
    .join(', ')
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  const isPlain = Array.isArray(value) && value.every((each) => typeof each === 'string')
  return isPlain ? value.join(' or ') : JSON.stringify(value)
}

interface FormProps {
  webhooks: readonly string[]
  done: () => void
  cancel: () => void
}

const FIELDS: readonly FormField[] = [
  { place: 'event', label: 'Event', focus: true },
  { place: 'name', label: 'Name', example: 'job-over' },
  { place: 'webhook', label: 'Webhook' },
  { place: 'states', label: 'States' },
  { place: 'metric', label: 'Metric' },
  { place: 'is', label: 'is' },
  { place: 'threshold', label: 'Threshold' },
  { place: 'by', label: 'Smallest change' },
  { place: 'alias', label: 'Alias matches' },
  { place: 'tag', label: 'Tag matches' },
  {
    place: 'payload',
    label: 'payload, as JSON',
    json: true,
    hint: 'The body. It can have variables, such as ${run_name}.',
    example: '{"run": "${run_name}", "state": "${run_state}"}',
  },
]
const FIRST_EVENT = 'RUN_STATE'

/** Adds an automation. The fields are those of its event. */
function AutomationForm({ webhooks, done, cancel }: FormProps): ComponentChildren {
  const { value, error } = useScenarioSchema()
  const events = value && variantsBy('event', value.properties?.['automations']?.items ?? {})
  return (
    <Loaded of={{ value: events, error }} what="form">
      {(variants) => (
        <Form<BodyOf<'POST /automations'>>
          label="New automation"
          submit="Add automation"
          shapeOf={({ event }) => shapeFor(String(event), variants, webhooks)}
          start={{ event: FIRST_EVENT }}
          send={async (body) => {
            await call('POST /automations', { body })
            done()
          }}
          cancel={cancel}
        />
      )}
    </Loaded>
  )
}

function shapeFor(
  event: string,
  events: ReadonlyMap<string, JsonSchema>,
  webhooks: readonly string[],
): FormShape {
  const choices = { event: [...events.keys()], webhook: webhooks }
  const schema = offering(events.get(event) ?? {}, choices)
  const fields = FIELDS.filter(({ place }) => schema.properties?.[place])
  const none = { hint: 'Add a webhook first.' }
  return {
    schema,
    fields: fields.map((field) =>
      field.place === 'webhook' && webhooks.length === 0 ? { ...field, ...none } : field,
    ),
    others: 'More conditions',
  }
}
