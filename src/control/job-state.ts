import type { ControlEvents, ControlJob } from './schemas.js'
import type { Engine } from '../engine/engine.js'
import type { Job, JobEvent } from '../engine/jobs/job.js'
import { toIso } from '../text/iso.js'

/** A job with all that there is to know of it. */
export function jobState(job: Job): ControlJob {
  const { id, entity, project, name } = job.model
  const { record, gradientSteps } = job
  return {
    id: job.id,
    kind: job.kind,
    model: { id, entity, project, name },
    ordinal: job.ordinal,
    status: job.status,
    stalled: job.stalled !== undefined,
    step: gradientSteps,
    steps: job.script.numSequences,
    latest: gradientSteps === 0 ? {} : strict(job.script.metricsAt(gradientSteps)),
    created_at: record.created_at,
    training_start: record.training_start,
    training_end: record.training_end,
    error_message: record.error_message,
    checkpoint_step: job.checkpointStep ?? null,
    events: job.eventCount,
    request_id: job.cause ?? null,
  }
}

/** The event at `index`, oldest first. */
export function eventState(job: Job, index: number): ControlEvents['events'][number] {
  const { id, type, data } = job.eventAt(index)
  return { index, id, type, at: toIso(job.moments.at(index)), data: strict(data) }
}

/** Jobs, newest first, of that model (its id or name) and in that state; at most `limit`. */
export function jobsWhere(
  { store }: Engine,
  { model, status, limit }: { model?: string; status?: string; limit?: number },
): Job[] {
  const all = [...store.jobs.values()].reverse()
  const found = all.filter((job) => {
    if (model !== undefined && model !== job.model.id && model !== job.model.name) return false
    return status === undefined || status === job.status
  })
  return found.slice(0, limit)
}

/** Numbers that JSON has no word for, as the texts that name them. */
function strict(data: JobEvent['data']): Record<string, unknown> {
  const told: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(data)) {
    told[name] = typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
  }
  return told
}
