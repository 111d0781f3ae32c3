import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlFault } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { linkTo } from './link.js'
import { LineForm } from '../kit/form.js'
import type { FormField } from '../kit/fields.js'
import { ActionButton } from './action-button.js'
import { Problem } from './use-action.js'
import { counted } from './wording.js'

const SCHEMA: JsonSchema = { properties: { error_message: { type: 'string' } } }
const MESSAGE: FormField = {
  place: 'error_message',
  label: 'Its error message',
  example: 'Training failed',
  size: 28,
  prose: true,
}

interface NextJobFailsProps {
  /** Called after a change, on the page of the faults. */
  changed?: () => void
}

/** Makes the next job fail, says what that did, and undoes it. */
export function NextJobFails({ changed }: NextJobFailsProps): ComponentChildren {
  const list = useLoaded(() => call('GET /faults'))
  useReloadOn(['request', 'note'], list.reload)
  const [undone, setUndone] = useState('')
  const armed = list.value?.faults.find(isArmed)
  const done = (text: string): void => {
    setUndone(text)
    list.reload()
    changed?.()
  }
  return (
    <section aria-label="The next job">
      {armed ? (
        <Armed fault={armed} undone={done} isListed={changed !== undefined} />
      ) : (
        <LineForm<{ error_message?: string }>
          submit="Make the next job fail"
          schema={SCHEMA}
          fields={[MESSAGE]}
          send={async (message) => {
            await call('POST /faults', { body: { fault: 'fail_job', calls: 1, ...message } })
            done('')
          }}
          said={<span class="faint">{undone}</span>}
        />
      )}
      <Problem of={list.error} />
    </section>
  )
}

interface ArmedProps {
  fault: ControlFault
  /** Called when the next job does not fail any more, with a word that says so. */
  undone: (text: string) => void
  /** Whether the page lists all faults. */
  isListed: boolean
}

function Armed({ fault: { id, rule }, undone, isListed }: ArmedProps): ComponentChildren {
  const params = { fault_id: id }
  const undo = async (): Promise<void> => {
    if (id.startsWith('added-')) {
      await call('DELETE /faults/{fault_id}', { params })
      undone('Undone.')
    } else {
      await call('POST /faults/{fault_id}/close', { params })
      undone('Closed.')
    }
  }
  return (
    <div class="line">
      <span role="status">
        <b class="warn">The next job fails</b> after {counted(Number(rule['after_steps']), 'step')}:
        “{String(rule['error_message'])}”. Running jobs do not change.
      </span>
      <ActionButton act={undo}>Undo</ActionButton>
      {!isListed && linkTo({ page: 'faults' }, 'All faults')}
    </div>
  )
}

/** Whether a fault makes just the next job fail, whichever it is. */
function isArmed({ fault, open, calls_left, rule }: ControlFault): boolean {
  const { match = {}, during, probability, calls } = rule
  const anyJob = Object.keys(match as object).length === 0
  const certain = during === undefined && probability === undefined
  return fault === 'fail_job' && open && calls === 1 && calls_left === 1 && anyJob && certain
}
