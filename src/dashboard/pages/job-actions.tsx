import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLiveStore } from '../data/use-live.js'
import { ActionButton } from '../parts/action-button.js'
import { LineForm } from '../kit/form.js'
import type { FormField } from '../kit/fields.js'
import { TriggerForm } from './trigger-form.js'

const SCHEMA: JsonSchema = { properties: { error_message: { type: 'string' } } }
const MESSAGE: FormField = {
  place: 'error_message',
  label: 'Error message',
  example: 'Error message (optional)',
  prose: true,
}

/** The buttons that change a job. */
export function JobActions({ job }: { job: Job }): ComponentChildren {
  const live = useLiveStore()
  const over = job.status === 'ended' || job.status === 'failed'
  const params = { job_id: job.id }
  const show = async (answer: Promise<Job>): Promise<void> => live.know([await answer])
  const acts = {
    ...(job.stalled
      ? { Resume: () => call('POST /jobs/{job_id}/resume', { params }) }
      : { Stall: () => call('POST /jobs/{job_id}/stall', { params }) }),
    Finish: () => call('POST /jobs/{job_id}/finish', { params }),
  }
  return (
    <section class="actions" aria-label="Actions">
      <div class="line">
        {Object.entries(acts).map(([label, act], at) => (
          // The button that changes its word keeps the focus.
          <ActionButton key={at} disabled={over} act={() => show(act())}>
            {label}
          </ActionButton>
        ))}
        <LineForm<{ error_message?: string }>
          submit="Fail"
          isDanger
          disabled={over}
          schema={SCHEMA}
          fields={[{ ...MESSAGE, disabled: over }]}
          send={(body) => show(call('POST /jobs/{job_id}/fail', { params, body }))}
        />
      </div>
      <details>
        <summary>Trigger an event</summary>
        <TriggerForm facts={{ job_id: job.id }} />
      </details>
    </section>
  )
}
