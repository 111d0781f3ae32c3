import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { DeliveryTable } from './delivery-table.js'
import { TriggerForm } from './trigger-form.js'
import { Problem } from './use-action.js'
import { useDeliveries } from './use-deliveries.js'

export function DeliveriesPage(): ComponentChildren {
  const { value = [], error } = useDeliveries()
  const [text, setText] = useState('')
  const rows = value.filter(({ id, event, webhook, state, verdict }) => {
    return [id, event, webhook, state, verdict ?? ''].some((each) => each.includes(text))
  })
  return (
    <>
      <h1 tabIndex={-1}>Deliveries</h1>
      <section class="actions" aria-label="Actions">
        <TriggerForm />
      </section>
      <Problem of={error} />
      <DeliveryTable
        deliveries={rows}
        view={text}
        empty={
          value.length > 0 ? (
            <p>No delivery matches. Clear the filter.</p>
          ) : (
            <>
              <p>No deliveries yet. Give the scenario a webhook and an automation, or start with</p>
              <pre>svtrain-emulator --webhook http://127.0.0.1:3000/hook</pre>
            </>
          )
        }
      >
        <label>
          <span class="hidden-label">Filter</span>
          <input
            type="search"
            placeholder="Event, webhook, state, verdict"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      </DeliveryTable>
    </>
  )
}
