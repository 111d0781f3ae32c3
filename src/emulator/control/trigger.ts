import type { Job } from '../../service/engine/jobs/job.js'
import { isOfRun } from '../../service/scenario/event-types.js'
import type { RunState } from '../../service/scenario/run-states.js'
import type { TriggerFacts } from '../../webhooks/sending/trigger.js'
import { jobCalled } from './called.js'
import { control } from './row.js'
import { triggered, triggerRequest } from './schemas/trigger.js'

const trigger = control({
  id: 'triggerEvent',
  method: 'POST',
  path: '/_emulator/trigger',
  summary: 'Makes an event happen for the automations, or for the webhook in `to`',
  refusals: [404],
  body: triggerRequest,
  response: triggered,
  async run({ emulator: world, engine, body: { event, job_id, ...facts } }) {
    const job = jobCalled(world, job_id)
    const type = event.toUpperCase()
    const about = job === undefined ? '' : ` for job ${job.id.slice(0, 8)}`
    const made = await world.webhooks.trigger(
      type,
      { ...(job && factsOf(job, type)), ...facts },
      {
        jobId: job?.id,
        cause: () => engine.journal.note(`control: ${type} triggered${about}`, job?.cause),
      },
    )
    return { deliveries: made.map(({ id }) => id) }
  },
})

/** The facts that an event of a job has, which a request may replace. */
function factsOf({ model, progress: { status }, author }: Job, type: string): TriggerFacts {
  const { entity, project, name } = model
  const about = isOfRun(type) ? { run: name, state: STATE_OF_RUN[status] } : { collection: name }
  return { entity, project, author, ...about }
}

/** The state of the run of a job. */
const STATE_OF_RUN = {
  queued: 'running',
  running: 'running',
  ended: 'finished',
  failed: 'failed',
} as const satisfies Readonly<Record<Job['progress']['status'], RunState>>

export const triggerOperations = [trigger]
