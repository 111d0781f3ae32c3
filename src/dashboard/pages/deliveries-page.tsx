import type { ComponentChildren } from 'preact'
import type { ControlDelivery as Delivery } from '../../emulator/control/schemas/deliveries.js'
import { call } from '../data/control.js'
import { MOST_DELIVERIES, useDeliveries } from '../data/use-deliveries.js'
import { useLoaded } from '../data/use-loaded.js'
import type { Listing } from '../kit/records.js'
import { countColumn, type Column } from '../kit/table.js'
import { column } from '../kit/value.js'
import { counted } from '../parts/amounts.js'
import { Name } from '../parts/facts.js'
import { shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'
import { TriggerForm } from './trigger-form.js'

export type Attempt = Delivery['attempts'][number]

export const DELIVERY_COLUMNS: readonly Column<Delivery>[] = [
  ['Delivery', 'w-id', ({ id }) => <a href={hrefOf({ page: 'delivery', id })}>{shortId(id)}</a>],
  column('created_at', { wide: true }),
  ['Event', 'w-grow', ({ text }) => <span title={text}>{text}</span>, { sort: (of) => of.text }],
  column('webhook', { wide: true }),
  column('state'),
  countColumn('Attempts', ({ attempts }) => attempts.length, { wide: true }),
  ['Status', 'w-status mono', statusText, { sort: statusOf, wide: true }],
  column('verdict', { heading: 'Signature', look: 'w-state', wide: true }),
  ['Response', 'w-name', latestResponse, { wide: true }],
]

/** The latest deliveries. */
export const DELIVERIES: Listing<Delivery> = {
  title: 'Deliveries',
  thing: 'delivery',
  useRows: useDeliveries,
  keyOf: ({ id }) => id,
  columns: DELIVERY_COLUMNS,
  facets: [{ name: 'state', label: 'State', answerOf: ({ state }) => state }],
  most: MOST_DELIVERIES,
  find: 'Event, webhook, verdict or body',
  Above: () => (
    <details>
      <summary>Trigger an event</summary>
      <TriggerForm />
    </details>
  ),
  Empty: NoDeliveries,
}

function statusOf({ attempts }: Delivery): number | null | undefined {
  return attempts.at(-1)?.status
}

function statusText(delivery: Delivery): string | number | undefined {
  const status = statusOf(delivery)
  return status === null ? 'none' : status
}

function latestResponse({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  return last ? responseText(last) : ''
}

/** The error of an attempt and its response, as far as there are any. */
export function responseText({ error, response_excerpt }: Attempt): string {
  return [error, response_excerpt].filter(Boolean).join(' – ')
}

/** What to do so that there are deliveries: it depends on the webhooks that there are. */
function NoDeliveries(): ComponentChildren {
  const loaded = useLoaded(() => call('GET /webhooks'))
  const webhooks = loaded.value?.webhooks ?? []
  if (!loaded.value) return <p>No deliveries yet.</p>
  if (webhooks.length === 0) {
    return (
      <>
        <p>No deliveries yet. Give the scenario a webhook and an automation, or start with</p>
        <pre>svtrain-emulator --webhook http://127.0.0.1:3000/hook</pre>
      </>
    )
  }
  return (
    <>
      <p>
        No deliveries yet. {counted(webhooks.length, 'webhook waits', 'webhooks wait')} for an
        event:
      </p>
      <ul>
        {webhooks.map(({ name, url }) => (
          <li key={name}>
            <b>
              <Name of={name} />
            </b>{' '}
            {url === null ? 'has no URL' : <code>{url}</code>}
          </li>
        ))}
      </ul>
      <p>Run a job, or trigger an event above.</p>
    </>
  )
}
