import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { TriggerForm } from './trigger-form.js'
import { fieldText, Problem, useAction } from '../parts/use-action.js'
import { useLiveStore } from '../data/use-live.js'

/** The buttons that change a job. */
export function JobActions({ job }: { job: Job }): ComponentChildren {
  const live = useLiveStore()
  const { busy, run, problem } = useAction()
  const over = job.status === 'ended' || job.status === 'failed'
  const params = { job_id: job.id }
  const show = (answer: Promise<Job>): void => run(async () => live.know([await answer]))
  return (
    <section class="actions" aria-label="Actions">
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          const text = fieldText(event.currentTarget, 'error_message')
          const body = text === '' ? {} : { error_message: text }
          show(call('POST /jobs/{job_id}/fail', { params, body }))
        }}
      >
        {job.stalled ? (
          <button
            type="button"
            disabled={busy || over}
            onClick={() => show(call('POST /jobs/{job_id}/resume', { params }))}
          >
            Resume
          </button>
        ) : (
          <button
            type="button"
            disabled={busy || over}
            onClick={() => show(call('POST /jobs/{job_id}/stall', { params }))}
          >
            Stall
          </button>
        )}
        <button
          type="button"
          disabled={busy || over}
          onClick={() => show(call('POST /jobs/{job_id}/finish', { params }))}
        >
          Finish
        </button>
        <button class="danger" disabled={busy || over}>
          Fail
        </button>
        <label>
          <span class="hidden-label">Error message</span>
          <input name="error_message" placeholder="Error message (optional)" disabled={over} />
        </label>
      </form>
      <TriggerForm facts={{ job_id: job.id }} />
      <Problem of={problem} />
    </section>
  )
}
