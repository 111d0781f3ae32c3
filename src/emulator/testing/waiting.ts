import { counted } from '../../base/text/counted.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { stallText } from '../../service/engine/jobs/job-words.js'

/** What has the models of a world. */
interface WithModels {
  readonly store: Pick<Engine['store'], 'model'>
  readonly timeline: Pick<Engine['timeline'], 'mayMoveJobs'>
}

/**
 * Says why a job waits for more than time, about the job as `it`: `it is queued behind 9ce030a0, which is stalled`.
 * Undefined if its next event is scheduled, or if it is over.
 */
export function whyWaiting(engine: WithModels, job: Job): string | undefined {
  return job.over || job.waiting.due !== undefined ? undefined : whyNotMoving(engine, job)
}

/** Says why a job that is not over has no next event, about the job as `it`. A model trains one job at a time. */
export function whyNotMoving({ store, timeline }: WithModels, job: Job): string {
  const current = store.model(job.model.id)?.currentJob
  if (current !== undefined && current !== job) {
    const { status, stalled } = current.progress
    const state = stalled ? stallText(stalled) : `is ${status}`
    return `it is queued behind ${current.id.slice(0, 8)}, which ${state}`
  }
  const { stalled } = job.progress
  if (stalled) return `it ${stallText(stalled)}`
  // An entry in the timeline of the scenario may still fail or finish it.
  if (timeline.mayMoveJobs) return 'its script has no more events'
  return 'its scenario has no more events for it, so finish or fail it'
}

/** The jobs that stay as they are until somebody finishes or fails them: no line of a trace tells of that. */
export function endlessJobs({ store, timeline }: Pick<Engine, 'store' | 'timeline'>): Job[] {
  if (timeline.mayMoveJobs) return []
  return [...store.jobs.values()].filter((job) => {
    const { over, waiting, progress, model } = job
    const isFirst = (store.model(model.id)?.currentJob ?? job) === job
    return !over && isFirst && waiting.due === undefined && !progress.stalled
  })
}

/** Says how far a job is: `2 of 6 steps taken`. */
export function stepsText({ progress, script }: Job): string {
  return `${progress.gradientSteps} of ${counted(script.numSequences, 'step')} taken`
}
