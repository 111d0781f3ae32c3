import type { ComponentChildren } from 'preact'
import { DeliveryTable } from '../parts/delivery-table.js'
import { TriggerForm } from './trigger-form.js'
import { call } from '../data/control.js'
import { useTextFilter } from '../parts/text-filter.js'
import { Page } from '../parts/page.js'
import { MOST_DELIVERIES, useDeliveries } from '../data/use-deliveries.js'
import { useLoaded } from '../data/use-loaded.js'
import { counted, Name } from '../parts/wording.js'

export function DeliveriesPage(): ComponentChildren {
  const { value = [], error } = useDeliveries()
  const { text, found, field } = useTextFilter(value, {
    example: 'Event, webhook, state, verdict',
    textsOf: ({ id, event, webhook, state, verdict }) => [id, event, webhook, state, verdict],
  })
  return (
    <Page title="Deliveries" error={error}>
      <section class="actions" aria-label="Actions">
        <TriggerForm />
      </section>
      <DeliveryTable
        deliveries={found}
        view={text}
        empty={value.length > 0 ? <p>No delivery matches. Clear the filter.</p> : <NoDeliveries />}
      >
        {field}
        {value.length >= MOST_DELIVERIES && (
          <span class="faint">The latest {MOST_DELIVERIES}. There may be more.</span>
        )}
      </DeliveryTable>
    </Page>
  )
}

/** What to do so that there are deliveries: it depends on the webhooks that there are. */
function NoDeliveries(): ComponentChildren {
  const loaded = useLoaded(() => call('GET /webhooks'))
  const webhooks = loaded.value?.webhooks ?? []
  if (!loaded.value) return <p>No deliveries yet.</p>
  if (webhooks.length > 0) {
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
  return (
    <>
      <p>No deliveries yet. Give the scenario a webhook and an automation, or start with</p>
      <pre>svtrain-emulator --webhook http://127.0.0.1:3000/hook</pre>
    </>
  )
}
