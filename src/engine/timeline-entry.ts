import type { Checkpoint } from './jobs/checkpoints.js'
import { matchesGlob } from '../text/glob.js'
import type { EngineEvent, RegistryPlace } from './engine-events.js'
import type { Job } from './jobs/job.js'
import type { ModelState } from './model.js'
import type { TimelineEntry } from '../scenario/scenario.js'

/** Of an event that an entry follows, what it acts upon. */
export interface About {
  model: ModelState
  job?: Job | undefined
  cause?: number | undefined
}

export type JobEntry = Extract<TimelineEntry, { ordinal?: unknown }>
export type ModelEntry = Exclude<TimelineEntry, JobEntry | { fault: string }>

/** Of a model that is gone it does not happen to the others. */
export function needsItsModel(entry: TimelineEntry): boolean {
  return !('fault' in entry) && entry.model === undefined
}

export function movesJobs(entry: TimelineEntry): entry is JobEntry {
  return entry.do.endsWith('_job')
}

export function matchesEvent({ after }: TimelineEntry, event: EngineEvent): boolean {
  if (after?.event !== event.type) return false
  const { model, kind, ordinal, step } = after
  if (model !== undefined && !matchesGlob(event.model.record.name, model)) return false
  const job = 'job' in event ? event.job : undefined
  if (kind !== undefined && kind !== job?.kind) return false
  if (ordinal !== undefined && ordinal !== job?.ordinal) return false
  if (step === undefined) return true
  return step === ('checkpoint' in event ? event.checkpoint.step : job?.gradientSteps)
}

/** The one that it names; else the event's own, if it is of this model; else the one in progress. */
export function jobFor({ ordinal }: JobEntry, model: ModelState, about?: About): Job | undefined {
  if (ordinal !== undefined) return model.jobs[ordinal - 1]
  return jobOf(about, model) ?? model.currentJob
}

/** The job that an event is about, if it is one of this model. */
export function jobOf(about: About | undefined, model: ModelState): Job | undefined {
  return about?.job?.model.id === model.record.id ? about.job : undefined
}

/** The collection that an entry names, that of the model's own name by default. */
export function placeIn(
  { registry, collection }: { registry?: string | undefined; collection?: string | undefined },
  { record }: ModelState,
): RegistryPlace | undefined {
  return registry === undefined ? undefined : { registry, collection: collection ?? record.name }
}

export function checkpointFor(
  step: number | undefined,
  { checkpoints }: ModelState,
): Checkpoint | undefined {
  return step === undefined ? checkpoints.latest : checkpoints.at(step)
}
