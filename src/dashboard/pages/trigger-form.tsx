import type { ComponentChildren } from 'preact'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { variantsBy, type JsonSchema } from '../kit/json-schema.js'
import { useScenarioSchema } from '../data/use-schema.js'
import { LineForm } from '../kit/form.js'
import { counted, shortId } from '../parts/wording.js'
import { hrefOf } from '../routes.js'

type Facts = Partial<BodyOf<'POST /trigger'>>

interface TriggerBody {
  event: string
  facts?: string
}

const SCHEMA: JsonSchema = {
  required: ['event'],
  properties: { event: { type: 'string' }, facts: { type: 'string' } },
}
const START = { event: 'RUN_STATE' }

/** Triggers an event with these facts and those that the user types. Any event is possible. */
export function TriggerForm({ facts: given = {} }: { facts?: Facts }): ComponentChildren {
  const { value: scenario } = useScenarioSchema()
  const known = [...variantsBy('event', scenario?.properties?.['automations']?.items ?? {}).keys()]
  return (
    <LineForm<TriggerBody>
      submit="Trigger"
      schema={SCHEMA}
      fields={[
        { place: 'event', label: 'Event', known, size: 20 },
        { place: 'facts', label: 'Facts, as JSON', example: '{"alias": "production"}', size: 24 },
      ]}
      start={START}
      send={async ({ event, facts }) => {
        const body = { event, ...given, ...(facts && factsFrom(facts)) }
        const { deliveries } = await call('POST /trigger', { body })
        return <Outcome of={deliveries} />
      }}
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

function factsFrom(text: string): object {
  try {
    const facts: unknown = JSON.parse(text)
    if (typeof facts === 'object' && facts !== null && !Array.isArray(facts)) return facts
  } catch {
    // Reported below.
  }
  throw new Error(
    `Failed to read the facts: ${text} is not a JSON object. Write them like {"alias": "production"}.`,
  )
}
