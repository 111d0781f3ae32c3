import type { ComponentChildren } from 'preact'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call } from '../data/control.js'
import { useLiveStore } from '../data/use-live.js'
import { ActionButton } from '../parts/action-button.js'
import { RowForm } from '../kit/row-form.js'
import type { FormField } from '../kit/field-values.js'
import { TriggerForm } from './trigger-form.js'

const MESSAGE: FormField = {
  place: 'error_message',
  label: 'Error message',
  hint: null,
  example: 'Training failed',
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
        {!over && (
          <RowForm
            row="POST /jobs/{job_id}/fail"
            params={params}
            label="Fail the job"
            submit="Fail"
            fields={[MESSAGE]}
            done={(failed) => live.know([failed])}
            look="line"
            isDanger
          />
        )}
      </div>
      <details>
        <summary>Trigger an event</summary>
        <TriggerForm facts={{ job_id: job.id }} />
      </details>
    </section>
  )
}
