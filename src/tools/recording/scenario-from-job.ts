import { trainingJobEventTypes } from '../../service/contract/training-job.js'
import { counted } from '../../base/text/counted.js'
import { extraMetrics, ownStep, type SeenCheckpoint } from './checkpoints-seen.js'
import { fieldsOf, type Fields, type ScenarioPart } from './exchanges.js'
import { withoutMessages } from './faults-seen.js'
import type { FetchedJob } from './fetch-job.js'
import { jobOfEvents } from './job-of-events.js'
import { readRecord } from './job-record.js'
import { jobRules } from './job-rules.js'
import { endOf, type SeenJob } from './seen-job.js'
import { RecordingError } from './recording-error.js'
import { made, type MadeScenario } from './scenario-from.js'
import { missingEnds, missingNotes } from './unfinished-jobs.js'

/**
 * Writes the scenario of a job of the service: its events with their metrics, the checkpoints of its model, and when it
 * started and ended.
 *
 * @param name The name of the scenario.
 * @example
 * const { text } = scenarioFromJob(await fetchJob({ id, url, key, keyName: 'SVTRAIN_API_KEY' }), 'incident')
 */
export function scenarioFromJob(fetched: FetchedJob, name: string): MadeScenario {
  const { id, url, events, record, checkpoints } = fetched
  const { job, notes } = jobOfEvents(events, record)
  const found = checkpointsOf(job, checkpoints)
  const count = counted(events.length, 'event')
  const more = checkpoints && ` and ${counted(checkpoints.length, 'checkpoint')} of its model`
  return scenarioOf(job, {
    name,
    description: `${job.kind === 'sft' ? 'An SFT' : 'An RL'} job of the service with ${count}.`,
    source: `job ${id} at ${url}: ${count}${more ?? ''}`,
    notes: [...notes, ...found.notes],
    found,
    seen: (each) => stateOf(each, record),
    unknown: ['Refused calls, chats and webhooks are not known from a job.'],
  })
}

/**
 * Writes the scenario of a job whose events were saved.
 *
 * @throws {RecordingError} When the events are none of a job.
 */
export function scenarioFromEvents(
  events: readonly Fields[],
  { source, name }: { source: string; name: string },
): MadeScenario {
  const { job, notes } = jobOfEvents(events)
  if (!job.events.some(({ type }) => JOB_EVENTS.includes(type))) {
    const types = [...new Set(job.events.map(({ type }) => type))].join(', ')
    throw new RecordingError(
      `${source} has events, but none of a training job: ${types}. Expected ${JOB_EVENTS.join(', ')}.`,
    )
  }
  const count = counted(job.events.length, 'event')
  const description = `A recording of one job with ${count}.`
  return scenarioOf(job, { name, description, source: `the ${count} in ${source}`, notes })
}

const JOB_EVENTS: readonly string[] = trainingJobEventTypes

interface JobSource {
  readonly name: string
  readonly description: string
  /** What the scenario was made from. */
  readonly source: string
  readonly notes: readonly string[]
  readonly found?: FoundCheckpoints
  /** Says what is known of a job that is not over. */
  readonly seen?: (job: SeenJob) => string
  /** What the source does not say, as sentences. */
  readonly unknown?: readonly string[]
}

function scenarioOf(job: SeenJob, about: JobSource): MadeScenario {
  const { name, description, source, notes, found, seen, unknown = [] } = about
  const rules = jobRules([job], {
    ofJobs: new Map(found ? [[job.id, found.own]] : []),
    hiddenJobs: new Map(),
  })
  const missing = missingEnds([job], [], seen)
  const edits = withoutMessages([job])
  const body = {
    name,
    description,
    ...(edits.length > 0 && { faults: edits }),
    jobs: rules.jobs,
    ...(found && found.timeline.length > 0 && { timeline: found.timeline }),
    ...(job.kind === 'sft' && { play: { jobs: [{ kind: 'sft' }] } }),
  }
  const header = [
    ...missingNotes(missing, 1),
    `Made from ${source}.`,
    ...rules.losses,
    ...notes,
    ...new Set(rules.notes),
    'Figures of the submitted data follow from what a client submits.',
    ...unknown,
  ]
  return { ...made(body, header), missing, losses: rules.losses, clock: 'instant' }
}

/** What is known of a job that is not over. */
function stateOf({ events }: SeenJob, record: Fields): string {
  const { status, word } = readRecord(record)
  const last = events.at(-1)
  const since = last ? `the last of its events is ${last.type}` : 'it has no events'
  if (status === undefined && word !== undefined) {
    return `its status is ${JSON.stringify(word)}, which does not say whether it is over, and ${since}`
  }
  return `it is ${status ?? 'not over'}, and ${since}`
}

interface FoundCheckpoints {
  /** What the job does about its checkpoint. */
  readonly own: SeenCheckpoint
  /** The checkpoints that are there before it. */
  readonly timeline: readonly ScenarioPart[]
  readonly notes: readonly string[]
}

/** With more older checkpoints, a file says more about them than about the job. */
const MOST_OLDER = 20

/**
 * The service does not say which job added a checkpoint. That of a job that ended is the one with the metrics of its last
 * step, or else the newest one.
 */
function checkpointsOf(job: SeenJob, listed: FetchedJob['checkpoints']): FoundCheckpoints {
  const hasEnded = endOf(job)?.type === 'training_ended'
  if (listed === undefined) {
    const notes = ['The service does not list the checkpoints of its model.']
    return { own: { isAdded: hasEnded, onTheWay: [] }, timeline: [], notes }
  }
  const byStep = new Map(listed.map(({ step, metrics }) => [Number(step), fieldsOf(metrics)]))
  const newest = Math.max(0, ...byStep.keys())
  const isAdded = hasEnded && newest > 0
  const matching = isAdded ? ownStep(job, byStep, 0) : undefined
  const own = matching ?? newest
  const older = olderThan(isAdded ? own : newest + 1, byStep)
  const why =
    matching === undefined ? 'the newest checkpoint of its model' : 'which has its metrics'
  const which = isAdded
    ? `Step ${own}, ${why}, counts as its own.`
    : 'No checkpoint of its model counts as its own.'
  const newer = own < newest ? ' Newer ones are left out.' : ''
  return {
    own: { isAdded, onTheWay: [], metrics: isAdded ? byStep.get(own) : undefined },
    timeline: older.timeline,
    notes: [
      listed.length > 1 &&
        `The service does not say which job added a checkpoint. ${which} Older ones are there before it.${newer}`,
      ...older.notes,
    ].filter((note) => note !== false),
  }
}

/** Writes the checkpoints that the model has before the job. */
function olderThan(
  first: number,
  byStep: ReadonlyMap<number, Fields>,
): Pick<FoundCheckpoints, 'timeline' | 'notes'> {
  const most = first - 1
  if (most < 1) return { timeline: [], notes: [] }
  if (most > MOST_OLDER) {
    const note = `Its model had checkpoints up to step ${most} before. They are left out, so steps begin at 0 here.`
    return { timeline: [], notes: [note] }
  }
  const after = { event: 'model_created' }
  const steps = Array.from({ length: most }, (_, index) => index + 1)
  const added = steps.map((step) => {
    const metrics = extraMetrics(byStep.get(step) ?? {}, {})
    return { do: 'add_checkpoint', after, ...(Object.keys(metrics).length > 0 && { metrics }) }
  })
  const deleted = [0, ...steps].filter((step) => !byStep.has(step))
  return {
    timeline: [...added, ...deleted.map((step) => ({ do: 'delete_checkpoint', after, step }))],
    notes: [],
  }
}
