import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ControlFault } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { hrefOf } from '../routes.js'
import { fieldText, Problem, useAction } from './use-action.js'
import { counted } from './wording.js'

interface NextJobFailsProps {
  /** Called after a change, on the page of the faults. */
  changed?: () => void
}

/** Makes the next job fail, says what that did, and undoes it. */
export function NextJobFails({ changed }: NextJobFailsProps): ComponentChildren {
  const list = useLoaded(() => call('GET /faults'))
  useReloadOn(['request', 'note'], list.reload)
  const { busy, run, problem } = useAction()
  const [outcome, setOutcome] = useState('')
  const armed = list.value?.faults.find(isArmed)
  const act = (doing: () => Promise<unknown>, done: string): void => {
    run(async () => {
      await doing()
      setOutcome(done)
      list.reload()
      changed?.()
    })
  }
  if (!armed) {
    return (
      <section aria-label="The next job">
        <form
          class="line"
          onSubmit={(event) => {
            event.preventDefault()
            const error_message = fieldText(event.currentTarget, 'next_error')
            const body = { fault: 'fail_job', calls: 1, ...(error_message && { error_message }) }
            act(() => call('POST /faults', { body }), '')
          }}
        >
          <button disabled={busy}>Make the next job fail</button>
          <label>
            <span class="hidden-label">Its error message</span>
            <input name="next_error" placeholder="Training failed" size={28} />
          </label>
          <span role="status" class="faint">
            {outcome}
          </span>
        </form>
        <Problem of={problem ?? list.error} />
      </section>
    )
  }
  const { id, rule } = armed
  const remove = (): void => {
    act(() => call('DELETE /faults/{fault_id}', { params: { fault_id: id } }), 'Undone.')
  }
  const close = (): void => {
    act(() => call('POST /faults/{fault_id}/close', { params: { fault_id: id } }), 'Closed.')
  }
  const wasAdded = id.startsWith('added-')
  return (
    <section aria-label="The next job">
      <div class="line">
        <span role="status">
          <b class="warn">The next job fails</b> after{' '}
          {counted(Number(rule['after_steps']), 'step')}: “{String(rule['error_message'])}”. Running
          jobs do not change.
        </span>
        <button disabled={busy} onClick={wasAdded ? remove : close}>
          Undo
        </button>
        {!changed && (
          <a class="inline" href={hrefOf({ page: 'faults' })}>
            All faults
          </a>
        )}
      </div>
      <Problem of={problem ?? list.error} />
    </section>
  )
}

/** Whether a fault makes just the next job fail, whichever it is. */
function isArmed({ fault, open, calls_left, rule }: ControlFault): boolean {
  const { match = {}, during, probability, calls } = rule
  const anyJob = Object.keys(match as object).length === 0
  const certain = during === undefined && probability === undefined
  return fault === 'fail_job' && open && calls === 1 && calls_left === 1 && anyJob && certain
}
