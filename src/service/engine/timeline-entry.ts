import type { Checkpoint } from './jobs/checkpoints.js'
import { matchesGlob } from '../../base/text/glob.js'
import type { ArtifactCollection } from '../platform/artifact.js'
import type { Run } from '../platform/run.js'
import type { EngineEvent, ModelEvent, RegistryPlace } from './engine-events.js'
import type { EventfulChange } from './platform-events.js'
import type { Job } from './jobs/job.js'
import type { ModelState } from './model.js'
import type { TimelineEntry } from '../scenario/scenario.js'

/** The model and the job of the event that triggered an entry. An event of a client's run or artifact has none. */
export interface About {
  model?: ModelState | undefined
  job?: Job | undefined
  cause?: number | undefined
}

export type JobAction = Extract<TimelineEntry, { ordinal?: unknown }>
export type ModelAction = Exclude<TimelineEntry, JobAction | { fault: string }>

/** Whether an entry changes only the model of its event. If that model is gone, nothing happens. */
export function needsItsModel(entry: TimelineEntry): boolean {
  return !('fault' in entry) && entry.model === undefined
}

const JOB_ACTIONS: Readonly<Record<JobAction['do'], true>> = {
  stall_job: true,
  resume_job: true,
  finish_job: true,
  fail_job: true,
}

export function movesJobs(entry: TimelineEntry): entry is JobAction {
  return Object.hasOwn(JOB_ACTIONS, entry.do)
}

export function matchesEvent({ after }: TimelineEntry, event: EngineEvent): boolean {
  if (!after) return false
  return event.type === 'platform_changed'
    ? matchesChange(after, event.change)
    : matchesModelEvent(after, event)
}

function matchesModelEvent(after: Trigger, event: ModelEvent): boolean {
  const { model, kind, ordinal, step, run, state, artifact } = after
  if (after.event !== event.type) return false
  if (run !== undefined || state !== undefined || artifact !== undefined) return false
  if (model !== undefined && !matchesGlob(event.model.record.name, model)) return false
  const job = 'job' in event ? event.job : undefined
  if (kind !== undefined && kind !== job?.kind) return false
  if (ordinal !== undefined && ordinal !== job?.ordinal) return false
  if (step === undefined) return true
  return step === ('checkpoint' in event ? event.checkpoint.step : job?.progress.gradientSteps)
}

function matchesChange(after: Trigger, change: EventfulChange): boolean {
  const { model, kind, ordinal, step } = after
  if (after.event !== change.type || 'collection' in change) return false
  if ([model, kind, ordinal, step].some((each) => each !== undefined)) return false
  return 'run' in change ? matchesRun(after, change.run) : matchesArtifact(after, change)
}

function matchesRun({ run: named, state, artifact }: Trigger, run: Run): boolean {
  if (artifact !== undefined || (state !== undefined && state !== run.state)) return false
  return named === undefined || [run.displayName, run.name].some((name) => matchesGlob(name, named))
}

function matchesArtifact({ event, artifact, run, state }: Trigger, change: VersionChange): boolean {
  if (run !== undefined || state !== undefined) return false
  // Without a name, these are the events of checkpoints.
  if (artifact === undefined) return event === 'artifact_committed'
  const { name } = 'membership' in change ? change.membership.collection : change.artifact.source
  return matchesGlob(name, artifact)
}

type Trigger = NonNullable<TimelineEntry['after']>
type VersionChange = Exclude<EventfulChange, { run: Run } | { collection: ArtifactCollection }>

/** Returns the job that the entry names. By default the job of the event if it is of this model, or the current job. */
export function jobFor({ ordinal }: JobAction, model: ModelState, about?: About): Job | undefined {
  if (ordinal !== undefined) return model.jobs.find((job) => job.ordinal === ordinal)
  return jobOf(about, model) ?? model.currentJob
}

/** Returns the job of an event, if it is a job of this model. */
export function jobOf(about: About | undefined, model: ModelState): Job | undefined {
  return about?.job?.model.id === model.record.id ? about.job : undefined
}

/** Returns the collection that an entry names. By default it has the name of the model. */
export function placeIn(
  { registry, collection }: { registry?: string | undefined; collection?: string | undefined },
  { record }: ModelState,
): RegistryPlace | undefined {
  return registry === undefined ? undefined : { registry, collection: collection ?? record.name }
}

/** Returns the checkpoint with that step. By default the latest one. */
export function checkpointAt(
  step: number | undefined,
  { checkpoints }: ModelState,
): Checkpoint | undefined {
  return step === undefined ? checkpoints.latest : checkpoints.at(step)
}
