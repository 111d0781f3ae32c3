import type { ControlEvents, ControlJob } from './schemas/jobs.js'
import { whyWaiting } from '../testing/waiting.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JobEvent } from '../../service/engine/jobs/job-events.js'
import { toIso } from '../../base/text/iso.js'

/** A job as JSON. */
export function jobState(job: Job, engine: Pick<Engine, 'store' | 'timeline'>): ControlJob {
  const { id, entity, project, name } = job.model
  const { record } = job
  const { status, stalled, gradientSteps, checkpointStep } = job.progress
  return {
    id: job.id,
    kind: job.kind,
    model: { id, entity, project, name },
    ordinal: job.ordinal,
    status,
    stalled: stalled !== undefined,
    why_waiting: whyWaiting(engine, job) ?? null,
    step: gradientSteps,
    steps: job.script.numSequences,
    latest: gradientSteps === 0 ? {} : withoutNonFinite(job.script.metrics.at(gradientSteps)),
    created_at: record.created_at,
    training_start: record.training_start,
    training_end: record.training_end,
    error_message: record.error_message,
    checkpoint_step: checkpointStep ?? null,
    events: job.events.count,
    request_id: job.cause ?? null,
  }
}

/** The event at `index` as JSON. The oldest has index 0. */
export function eventState(job: Job, index: number): ControlEvents['events'][number] {
  const { id, type, data } = job.events.at(index)
  return { index, id, type, at: toIso(job.events.moments.at(index)), data: withoutNonFinite(data) }
}

/** The jobs of a model (its id or name) with a status, newest first, at most `limit`. */
export function matchingJobs(
  { store }: Engine,
  { model, status, limit }: { model?: string; status?: string; limit?: number },
): Job[] {
  const all = [...store.jobs.values()].reverse()
  const id = model?.toLowerCase()
  const found = all.filter((job) => {
    if (model !== undefined && id !== job.model.id && model !== job.model.name) return false
    return status === undefined || status === job.progress.status
  })
  return found.slice(0, limit)
}

/** Writes numbers that JSON does not have, such as NaN, as text. */
function withoutNonFinite(data: JobEvent['data']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      const isOdd = typeof value === 'number' && !Number.isFinite(value)
      return [name, isOdd ? String(value) : value]
    }),
  )
}
