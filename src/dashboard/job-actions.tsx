import type { ComponentChildren } from 'preact'
import { send } from './control.js'
import type { Job } from './control-shapes.js'
import { fieldText } from './field-text.js'
import { TriggerForm } from './trigger-form.js'
import { Problem, useAction } from './use-action.js'
import { useLiveStore } from './use-live.js'

/** What one can do to a job. */
export function JobActions({ job }: { job: Job }): ComponentChildren {
  const live = useLiveStore()
  const { busy, run, problem } = useAction()
  const over = job.status === 'ended' || job.status === 'failed'
  const act = (verb: string, body: unknown = {}): void => {
    const path = `jobs/${encodeURIComponent(job.id)}/${verb}`
    run(async () => live.know([await send<Job>('POST', path, body)]))
  }
  return (
    <section class="actions" aria-label="Actions">
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          const text = fieldText(event.currentTarget, 'error_message')
          act('fail', text === '' ? {} : { error_message: text })
        }}
      >
        {job.stalled ? (
          <button type="button" disabled={busy || over} onClick={() => act('resume')}>
            Resume
          </button>
        ) : (
          <button type="button" disabled={busy || over} onClick={() => act('stall')}>
            Stall
          </button>
        )}
        <button type="button" disabled={busy || over} onClick={() => act('finish')}>
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
