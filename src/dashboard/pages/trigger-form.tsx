import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { fieldText, Problem, useAction } from '../parts/use-action.js'
import { hrefOf } from '../routes.js'
import { counted, shortId } from '../parts/wording.js'

/** The events of the service's automations. The user can type others. */
const EVENTS = [
  'RUN_STATE',
  'RUN_METRIC',
  'RUN_METRIC_CHANGE',
  'CREATE_ARTIFACT',
  'LINK_ARTIFACT',
  'ADD_ARTIFACT_ALIAS',
  'ADD_ARTIFACT_TAG',
]

/** Triggers an event with these facts and those that the user types. */
export function TriggerForm({
  facts = {},
}: {
  facts?: Partial<BodyOf<'POST /trigger'>>
}): ComponentChildren {
  const { busy, run, problem } = useAction()
  const [outcome, setOutcome] = useState<readonly string[]>()
  const trigger = (form: HTMLFormElement): void => {
    setOutcome(undefined)
    run(async () => {
      const more = factsFrom(fieldText(form, 'facts'))
      const body = { event: fieldText(form, 'event'), ...facts, ...more }
      const { deliveries } = await call('POST /trigger', { body })
      setOutcome(deliveries)
    })
  }
  return (
    <form
      class="line"
      onSubmit={(event) => {
        event.preventDefault()
        trigger(event.currentTarget)
      }}
    >
      <button disabled={busy}>Trigger</button>
      <label>
        <span class="hidden-label">Event</span>
        <input
          name="event"
          list="events"
          required
          defaultValue={EVENTS[0]}
          size={20}
          class="mono"
        />
        <datalist id="events">
          {EVENTS.map((event) => (
            <option key={event} value={event} />
          ))}
        </datalist>
      </label>
      <label>
        <span class="hidden-label">Facts, as JSON</span>
        <input name="facts" placeholder={'{"alias": "production"}'} size={24} class="mono" />
      </label>
      <output>{outcome && <Outcome of={outcome} />}</output>
      <Problem of={problem} />
    </form>
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
  if (text.trim() === '') return {}
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
