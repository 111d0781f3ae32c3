import type { Engine } from '../../service/engine/engine.js'
import { stallText, type Job } from '../../service/engine/jobs/job.js'

/** What has the models of a world. */
interface WithModels {
  readonly store: Pick<Engine['store'], 'model'>
}

/**
 * Says behind which job of its model a job waits: `queued behind 9ce030a0, which is stalled`. Undefined if none is before
 * it. A model trains one job at a time.
 */
export function queuedBehind({ store }: WithModels, job: Job): string | undefined {
  const current = store.model(job.model.id)?.currentJob
  if (job.over || current === undefined || current === job) return undefined
  const { status, stalled } = current.progress
  const state = stalled ? stallText(stalled) : `is ${status}`
  return `queued behind ${current.id.slice(0, 8)}, which ${state}`
}

/** Says why a job that is not over does not go on, about the job as `it`. */
export function whyWaiting(engine: WithModels, job: Job): string {
  const queued = queuedBehind(engine, job)
  if (queued !== undefined) return `it is ${queued}`
  const { stalled } = job.progress
  return stalled ? `it ${stallText(stalled)}` : 'its script has no more events'
}
