import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlDelivery } from '../../emulator/control/schemas.js'
import type { AnswerOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { Confirm } from '../parts/confirm.js'
import { focusOnce } from '../parts/focus-once.js'
import { Field, jsonField, placed } from '../parts/field.js'
import { fieldText, Problem, useAction } from '../parts/use-action.js'
import { counted } from '../parts/wording.js'
import { hrefOf } from '../routes.js'

type Automation = AnswerOf<'GET /automations'>['automations'][number]

/** The events, and the conditions that each of them has. */
const CONDITIONS = {
  RUN_STATE: ['states'],
  RUN_METRIC: ['metric', 'is', 'threshold'],
  RUN_METRIC_CHANGE: ['metric', 'by'],
  CREATE_ARTIFACT: [],
  LINK_ARTIFACT: [],
  ADD_ARTIFACT_ALIAS: ['alias'],
  ADD_ARTIFACT_TAG: ['tag'],
} as const satisfies Record<string, readonly Condition[]>
type EventName = keyof typeof CONDITIONS
type Condition = 'states' | 'metric' | 'is' | 'threshold' | 'by' | 'alias' | 'tag'

const FIELDS = [
  'name',
  'webhook',
  'event',
  'states',
  'metric',
  'is',
  'threshold',
  'by',
  'alias',
  'tag',
  'payload',
  'more',
]

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
  const { busy, run, problem } = useAction()
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
          busy={busy}
          act={() =>
            run(async () => {
              await call('DELETE /automations/{name}', { params: { name } })
              reload()
            })
          }
        />
      </div>
      {conditions !== '' && <p class="mono">{conditions}</p>}
      {body !== '{}' && <pre tabIndex={0}>{body}</pre>}
      <Problem of={problem} />
    </article>
  )
}

/** What is said elsewhere, or says nothing. */
const NOT_CONDITIONS = ['name', 'event', 'webhook', 'payload', 'description']

function conditionText(automation: Automation): string {
  return Object.entries(automation)
    .filter(([name]) => !NOT_CONDITIONS.includes(name))
    .map(([name, value]) => [name, valueText(value)] as const)
    .filter(([, text]) => text !== '{}' && text !== 'false')
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

function AutomationForm({ webhooks, done, cancel }: FormProps): ComponentChildren {
  const { busy, run, problem } = useAction()
  const [event, setEvent] = useState<EventName>('RUN_STATE')
  const { fields, rest } = placed(problem, FIELDS)
  const conditions: readonly Condition[] = CONDITIONS[event]
  const add = (form: HTMLFormElement): void =>
    run(async () => {
      await call('POST /automations', { body: bodyOf(form, conditions) })
      done()
    })
  return (
    <form
      class="actions fields"
      aria-label="New automation"
      noValidate
      onSubmit={(submitted) => {
        submitted.preventDefault()
        add(submitted.currentTarget)
      }}
    >
      <Field label="Event" problem={fields['event']}>
        {(attributes) => (
          <select
            {...attributes}
            name="event"
            value={event}
            ref={focusOnce}
            onChange={({ currentTarget }) => setEvent(currentTarget.value as EventName)}
          >
            {Object.keys(CONDITIONS).map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Name" problem={fields['name']}>
        {(attributes) => <input {...attributes} name="name" placeholder="job-over" />}
      </Field>
      <Field
        label="Webhook"
        problem={fields['webhook']}
        hint={webhooks.length === 0 ? 'Add a webhook first.' : undefined}
      >
        {(attributes) => (
          <select {...attributes} name="webhook">
            {webhooks.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
      {conditions.map((condition) => (
        <ConditionField key={condition} condition={condition} problem={fields[condition]} />
      ))}
      <Field
        label="payload, as JSON"
        wide
        problem={fields['payload']}
        hint="The body. It can have variables, such as ${run_name}."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            name="payload"
            class="mono"
            placeholder={'{"run": "${run_name}", "state": "${run_state}"}'}
          />
        )}
      </Field>
      <Field
        label="More keys, as JSON"
        wide
        problem={fields['more']}
        hint="Other keys of an automation in a scenario, such as run or scope."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            name="more"
            class="mono"
            placeholder={'{"run": {"name": "^poet"}}'}
          />
        )}
      </Field>
      <div class="line">
        <button disabled={busy}>Add automation</button>
        <button type="button" onClick={cancel}>
          Cancel
        </button>
      </div>
      <Problem of={rest} />
    </form>
  )
}

const STATES = ['running', 'finished', 'failed']
const COMPARISONS = ['above', 'at_least', 'below', 'at_most', 'equal', 'not_equal']

/** Text fields by condition: the label and an example. */
const TEXTS: Readonly<Record<string, readonly [label: string, example: string]>> = {
  metric: ['Metric', 'loss'],
  threshold: ['Threshold', '2.5'],
  by: ['Smallest change', '0.1'],
  alias: ['Alias matches', '^prod'],
  tag: ['Tag matches', '^prod'],
}

interface ConditionProps {
  condition: Condition
  problem: string | undefined
}

function ConditionField({ condition, problem }: ConditionProps): ComponentChildren {
  if (condition === 'states') {
    return (
      <fieldset>
        <legend>States</legend>
        <div class="line">
          {STATES.map((state) => (
            <label key={state}>
              <input type="checkbox" name="states" value={state} defaultChecked /> {state}
            </label>
          ))}
        </div>
        {problem && <p class="bad">{problem}</p>}
      </fieldset>
    )
  }
  if (condition === 'is') {
    return (
      <Field label="is" problem={problem}>
        {(attributes) => (
          <select {...attributes} name={controlName(condition)}>
            {COMPARISONS.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
    )
  }
  const [label, example] = TEXTS[condition]!
  return (
    <Field label={label} problem={problem}>
      {(attributes) => <input {...attributes} name={condition} placeholder={example} />}
    </Field>
  )
}

/** The automation as in a scenario. */
function bodyOf(form: HTMLFormElement, conditions: readonly Condition[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const name of ['event', 'name', 'webhook', ...conditions]) {
    const text = fieldText(form, controlName(name))
    if (name === 'states') body[name] = new FormData(form).getAll(name)
    else if (text !== '') body[name] = numeric(name) ? numberOrText(text) : text
  }
  const payload = jsonField(fieldText(form, 'payload'), 'payload', 'object')
  const more = jsonField(fieldText(form, 'more'), 'more', 'object')
  return { ...body, ...(payload && { payload }), ...more }
}

/** Preact reads `is` of the parent of each new element, and a form has its controls as properties. */
function controlName(name: string): string {
  return name === 'is' ? 'comparison' : name
}

function numeric(name: string): boolean {
  return name === 'threshold' || name === 'by'
}

/** The emulator says what is wrong with a text that is not a number. */
function numberOrText(text: string): number | string {
  return Number.isFinite(Number(text)) ? Number(text) : text
}
