import type { ComponentChildren } from 'preact'
import type { AnswerOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import type { FormField } from '../kit/field-values.js'
import { useRecords, useReload, type Listing } from '../kit/records.js'
import { RowForm } from '../kit/row-form.js'
import { column } from '../kit/value.js'
import { Confirm } from '../parts/confirm.js'
import { linkTo } from '../parts/link.js'

type Automation = AnswerOf<'GET /automations'>['automations'][number]

/** Which event calls which webhook. */
export const AUTOMATIONS: Listing<Automation> = {
  title: 'Automations',
  thing: 'automation',
  useRows: () => useRecords(async () => (await call('GET /automations')).automations, ['note']),
  keyOf: ({ name }) => name,
  columns: [
    column('name', { heading: 'Automation', look: 'w-fault' }),
    column('event', { look: 'w-event mono' }),
    column('webhook', { heading: 'Calls', look: 'w-grow' }),
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
  const { name, payload } = automation
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return (
    <>
      <p class="mono">{conditionText(automation)}</p>
      {body !== '{}' && <pre tabIndex={0}>{body}</pre>}
      <div class="line">
        {linkTo({ page: 'deliveries' }, 'Its deliveries', { search: name })}
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

/** What is said elsewhere. */
const NOT_CONDITIONS: ReadonlySet<string> = new Set<keyof Automation>([
  'name',
  'event',
  'webhook',
  'payload',
  'description',
])

function conditionText(automation: Automation): string {
  return Object.entries(automation)
    .filter(([name, value]) => !isLeftOut(name, value))
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ')
}

function isLeftOut(name: string, value: unknown): boolean {
  const selectsAll = JSON.stringify(value) === '{}' || (value === false && name !== 'enabled')
  return NOT_CONDITIONS.has(name) || selectsAll
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

/** Adds an automation. The fields are those of its event. */
function AutomationForm({ close }: { close: () => void }): ComponentChildren {
  return (
    <RowForm
      row="POST /automations"
      label="New automation"
      submit="Add automation"
      fields={FIELDS}
      others="More conditions"
      by="event"
      offers={async () => ({
        webhook: (await call('GET /webhooks')).webhooks.map(({ name }) => name),
      })}
      start={{ event: 'RUN_STATE' }}
      cancel={close}
    />
  )
}
