import type { ComponentChildren } from 'preact'
import { rowSchema } from '../data/row-schema.js'
import { useLoaded } from '../data/use-loaded.js'
import type { Values } from '../kit/field-values.js'
import { formsBy } from '../kit/json-schema.js'
import { RowForm } from '../kit/row-form.js'
import { counted } from '../parts/amounts.js'
import { shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'

/** Triggers an event with these facts and those that the user enters. Any event is possible. */
export function TriggerForm({ facts = {} }: { facts?: Values }): ComponentChildren {
  const { value: automations = {} } = useLoaded(() => rowSchema('POST /automations'))
  const known = [...formsBy('event', automations).keys()]
  return (
    <RowForm
      row="POST /trigger"
      label="Trigger an event"
      submit="Trigger"
      fields={[{ place: 'event', label: 'Event', known, hint: null }]}
      others="Facts of the event"
      start={{ event: 'RUN_STATE', ...facts }}
      done={({ deliveries }) => <Outcome of={deliveries} />}
      look="part"
    />
  )
}

/** What the event caused, with a link to each delivery. */
function Outcome({ of: deliveries }: { of: readonly string[] }): ComponentChildren {
  if (deliveries.length === 0) return 'No automation matches this event; nothing was sent.'
  return (
    <>
      {counted(deliveries.length, 'delivery', 'deliveries')} queued.{' '}
      {deliveries.map((id) => (
        <a key={id} class="mono" href={hrefOf({ page: 'delivery', id })}>
          {shortId(id)}{' '}
        </a>
      ))}
    </>
  )
}
