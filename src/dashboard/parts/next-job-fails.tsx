import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlFault } from '../../emulator/control/schemas/faults.js'
import { isAdded } from '../data/added-fault.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { linkTo } from './link.js'
import { Form, type FormShape } from '../kit/form.js'
import type { FormField } from '../kit/field-values.js'
import { ActionButton } from './action-button.js'
import { Problem } from './use-action.js'
import { counted } from './amounts.js'

const MESSAGE: FormField = {
  place: 'error_message',
  label: 'Error message of the next job',
  example: 'Training failed',
  prose: true,
}

const SHAPE: FormShape = {
  schema: { properties: { error_message: { type: 'string' } } },
  fields: [MESSAGE],
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
        <Form<{ error_message?: string }>
          label="The next job"
          submit="Make the next job fail"
          shapeOf={() => SHAPE}
          look="line"
          send={async (message) => {
            await call('POST /faults', { body: { fault: 'fail_job', calls: 1, ...message } })
            done('')
          }}
        />
      )}
      {!armed && undone !== '' && (
        <p class="faint" role="status">
          {undone}
        </p>
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
    if (isAdded({ id })) {
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
