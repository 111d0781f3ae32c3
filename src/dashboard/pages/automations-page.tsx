import type { ComponentChildren } from 'preact'
import type { AnswerOf, BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useScenarioSchema } from '../data/use-schema.js'
import { offering, type FormField } from '../kit/fields.js'
import { Form, type FormShape } from '../kit/form.js'
import { variantsBy, type JsonSchema } from '../kit/json-schema.js'
import { useRecords, useReload, type Listing } from '../kit/records.js'
import { column } from '../kit/value.js'
import { Confirm } from '../parts/confirm.js'
import { linkTo } from '../parts/link.js'
import { Loaded } from '../parts/page.js'

type Automation = AnswerOf<'GET /automations'>['automations'][number]

/** Which event calls which webhook. */
export const AUTOMATIONS: Listing<Automation> = {
  title: 'Automations',
  thing: 'automation',
  useRows: () => useRecords(async () => (await call('GET /automations')).automations, ['note']),
  keyOf: ({ name }) => name,
  columns: [
    column('name', 'w-event', 'Automation'),
    column('event', 'w-event mono'),
    column('webhook', 'w-name', 'Calls'),
    ['Conditions', 'w-grow mono', conditionText, { wide: true }],
  ],
  details: {
    idOf: ({ name }) => `automation-${name}`,
    show: (automation) => <Details of={automation} />,
  },
  find: 'Name, event or webhook',
  add: { label: 'New automation', Form: AutomationForm },
  Empty: () => <p>No automations. Without one, no event calls a webhook.</p>,
}

function Details({ of: automation }: { of: Automation }): ComponentChildren {
  const reload = useReload()
  const { name, event, payload } = automation
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return (
    <>
      <p class="mono">{conditionText(automation)}</p>
      {body !== '{}' && <pre tabIndex={0}>{body}</pre>}
      <div class="line">
        {linkTo({ page: 'deliveries' }, 'Its deliveries', { search: event })}
        <Confirm
          label="Remove"
          name={`Remove the automation ${name}`}
          question="Its events call no webhook from then on."
          act={() => call('DELETE /automations/{name}', { params: { name } })}
          done={reload}
        />
      </div>
    </>
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
const START = { event: 'RUN_STATE' }

/** Adds an automation. The fields are those of its event. */
function AutomationForm({ close }: { close: () => void }): ComponentChildren {
  const reload = useReload()
  const schema = useScenarioSchema()
  const names = useLoaded(async () =>
    (await call('GET /webhooks')).webhooks.map(({ name }) => name),
  )
  const items = schema.value?.properties?.['automations']?.items
  const value = items &&
    names.value && { events: variantsBy('event', items), webhooks: names.value }
  return (
    <Loaded of={{ value, error: schema.error ?? names.error }} what="form">
      {({ events, webhooks }) => (
        <Form<BodyOf<'POST /automations'>>
          label="New automation"
          submit="Add automation"
          shapeOf={({ event }) => shapeFor(String(event), events, webhooks)}
          start={START}
          send={async (body) => {
            await call('POST /automations', { body })
            reload()
            close()
          }}
          cancel={close}
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
