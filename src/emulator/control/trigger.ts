import type { Infer } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { RunState } from '../../service/scenario/run-states.js'
import { assertEventType, type TriggerFacts } from '../../webhooks/sending/trigger.js'
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
  async run({ emulator: { webhooks }, engine, body }) {
    const read = readTrigger(body, engine)
    assertEventType(read.event)
    const { job } = read
    const about = job === undefined ? '' : ` for job ${job.id.slice(0, 8)}`
    const cause = engine.journal.note(`control: ${read.event} triggered${about}`, job?.cause)
    const made = await webhooks.trigger(read.event, read.facts, { jobId: job?.id, cause })
    return { deliveries: made.map(({ id }) => id) }
  },
})

/** The event to trigger and its facts. A job in the request provides their defaults. */
function readTrigger({ event, job_id, ...facts }: Infer<typeof triggerRequest>, engine: Engine) {
  const job = job_id === undefined ? undefined : engine.store.jobs.get(job_id)
  return { event: event.toUpperCase(), facts: { ...(job && factsOf(job)), ...facts }, job }
}

function factsOf({ model, progress: { status }, author }: Job): TriggerFacts {
  const { entity, project, name } = model
  return { entity, project, run: name, collection: name, state: STATE_OF_RUN[status], author }
}

/** The state of the run of a job. */
const STATE_OF_RUN = {
  queued: 'running',
  running: 'running',
  ended: 'finished',
  failed: 'failed',
} as const satisfies Readonly<Record<Job['progress']['status'], RunState>>

export const triggerOperations = [trigger]
