import type { triggerRequest } from './schemas.js'
import { apiErrors, type ApiError } from '../contract/errors.js'
import type { Infer } from '../contract/pydantic/schema.js'
import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import type { TriggerFacts } from '../webhooks/trigger.js'

interface Triggering {
  event: string
  facts: TriggerFacts & { to?: string }
}

/** The event to trigger and its facts, which begin with those of the job, if the request names one. */
export function readTrigger(
  { event, job_id, ...given }: Infer<typeof triggerRequest>,
  engine: Engine,
): Triggering | ApiError {
  const job = job_id === undefined ? undefined : engine.store.jobs.get(job_id)
  if (job_id !== undefined && !job) return apiErrors.trainingJobNotFound()
  return { event: event.toUpperCase(), facts: { ...(job && factsOf(job)), ...given } }
}

function factsOf({ model, status, author }: Job): TriggerFacts {
  const { entity, project, name } = model
  return { entity, project, run: name, collection: name, state: RUN_STATES[status], author }
}

const RUN_STATES = {
  queued: 'running',
  running: 'running',
  ended: 'finished',
  failed: 'failed',
} as const
