import { counted } from '../../base/text/counted.js'
import { finite } from '../../base/text/json-text.js'
import type { SeenCheckpoint } from './checkpoints-seen.js'
import { fieldsOf, textIn } from './exchanges.js'
import type { FetchedJob } from './fetch-job.js'
import { readRecord, timeIn, type JobRecord } from './job-record.js'
import { isEnd, jobOfEvents, stepsIn, type SeenJob } from './jobs-seen.js'
import type { ScenarioPart } from './lifecycles.js'
import {
  JOB_EVENTS,
  made,
  missingEnd,
  missingNotes,
  trainingOf,
  type MadeScenario,
} from './scenario-from.js'
import { unfinishedIn } from './unfinished-jobs.js'

type Fields = Readonly<Record<string, unknown>>

/**
 * Writes the scenario of a job of the service: its events with their metrics, its checkpoints, and when it started and
 * ended.
 *
 * @param name The name of the scenario.
 * @example
 * const { text } = scenarioFromJob(await fetchJob({ id, url, key, keyName: 'SVTRAIN_API_KEY' }), 'incident')
 */
export function scenarioFromJob(fetched: FetchedJob, name: string): MadeScenario {
  const { id, url, checkpoints } = fetched
  const record = readRecord(fetched.record)
  const times = timesOf(fetched.events, record)
  const kind = record.kind === 'rl' || record.kind === 'sft' ? record.kind : undefined
  const { job } = jobOfEvents(times.events, { id, kind, createdAt: times.createdAt })
  const found = checkpointsOf(job, checkpoints)
  const unfinished = unfinishedIn([job])
  const training = trainingOf([job], {
    checkpoints: {
      ofJobs: new Map([[id, found.own]]),
      hiddenJobs: new Map(),
      worked: new Set(),
      unserved: new Set(),
    },
    nothingToTrain: 'skip',
    unfinished,
  })
  const missing = [...unfinished.values()].map((each) =>
    missingEnd({ ...each, seen: stateOf(job, record) }),
  )
  const parts = [counted(fetched.events.length, 'event')]
  if (checkpoints) parts.push(`${counted(checkpoints.length, 'checkpoint')} of its model`)
  const body = {
    name,
    description: `${job.kind === 'sft' ? 'An SFT' : 'An RL'} job of the service with ${parts[0]}.`,
    ...training.written,
    ...(found.timeline.length > 0 && { timeline: found.timeline }),
    ...(job.kind === 'sft' && { play: { jobs: [{ kind: 'sft' }] } }),
  }
  const header = [
    ...missingNotes(missing, 1),
    `Made from job ${id} at ${url}: ${parts.join(' and ')}.`,
    ...times.notes,
    ...found.notes,
    ...new Set(training.notes),
    'Figures of the submitted data follow from what a client submits.',
    'Refused calls, chats and webhooks are not known from a job.',
  ]
  return { ...made(body, header), missing }
}

/** What is known of a job that is not over. */
function stateOf({ events }: SeenJob, { status, word }: JobRecord): string {
  const last = events.at(-1)
  const since = last ? `the last of its events is ${last.type}` : 'it has no events'
  if (status === undefined && word !== undefined) {
    return `its status is ${JSON.stringify(word)}, which does not say whether it is over, and ${since}`
  }
  return `it is ${status ?? 'not over'}, and ${since}`
}

interface Draft {
  readonly id: string
  readonly type: string
  readonly data: unknown
  time: number | undefined
}

/** Says when each event happened, as far as the service does. The others lie evenly between these. */
function timesOf(
  listed: readonly Fields[],
  record: JobRecord,
): { events: Fields[]; createdAt: number | undefined; notes: string[] } {
  const { created, started, ended } = record.times
  const drafts = withRecord(
    listed.map((event, index): Draft => {
      const { id, type, data, created_at, timestamp } = event
      const time = timeIn(created_at ?? timestamp)
      return { id: textIn(id) ?? String(index), type: String(type), data, time }
    }),
    record,
  )
  for (const draft of drafts) {
    if (draft.type === 'training_started') draft.time ??= started
    if (isEnd(draft)) draft.time ??= ended
  }
  const guessed = drafts.filter(({ time }) => time === undefined)
  const isTimed = drafts.some(({ time }) => time !== undefined)
  if (isTimed) spread(drafts, created)
  return {
    createdAt: isTimed ? created : undefined,
    events: drafts.map(({ id, type, data, time }) => ({
      id,
      type,
      data,
      ...(time !== undefined && { created_at: new Date(time).toISOString() }),
    })),
    notes: timeNotes({ isTimed, created, guessed }),
  }
}

function timeNotes({
  isTimed,
  created,
  guessed,
}: {
  isTimed: boolean
  created: number | undefined
  guessed: readonly Draft[]
}): string[] {
  if (!isTimed) return ['The service says no times, so there is one second between two events.']
  const steps = guessed.filter(({ type }) => type === 'gradient_step').length
  const others = guessed.length - steps
  return [
    ...(created === undefined
      ? ['The service does not say when the job was created. Its first event comes after a second.']
      : []),
    ...(steps > 0
      ? [
          `The service does not say when its ${counted(steps, 'gradient step')} happened: ${steps === 1 ? 'it lies' : 'they lie'} evenly between what it says.`,
        ]
      : []),
    ...(others > 0 ? ['The service does not say when all other events happened.'] : []),
  ]
}

/** Adds the start and the end that only the record shows. */
function withRecord(drafts: Draft[], { status, times, error }: JobRecord): Draft[] {
  const known = drafts.filter(({ type }) => JOB_EVENTS.includes(type))
  const hasStarted = times.started !== undefined || status === 'running' || status === 'ended'
  const all = [...drafts]
  if (hasStarted && !known.some(({ type }) => type === 'training_started')) {
    all.unshift({ id: 'start', type: 'training_started', data: {}, time: times.started })
  }
  if ((status === 'ended' || status === 'failed') && !known.some(isEnd)) {
    const data = error === undefined ? {} : { error_message: error }
    all.push({ id: 'end', type: `training_${status}`, data, time: times.ended })
  }
  return all
}

/** Gives a time to each event without one. */
function spread(drafts: Draft[], created: number | undefined): void {
  const times = [created, ...drafts.map(({ time }) => time)]
  for (let index = 0; index < times.length; index++) {
    if (times[index] !== undefined) continue
    const before = times[index - 1]
    let known = index
    while (known < times.length && times[known] === undefined) known++
    const distance = known === times.length ? -1 : known - index
    const next = times[known]
    if (before === undefined) {
      if (index > 0) times[index] = next! - distance * SECOND
      continue
    }
    // Whole milliseconds: what is left over comes before the next known time.
    const every = next === undefined ? SECOND : Math.floor((next - before) / (distance + 1))
    const count = distance === -1 ? times.length - index : distance
    for (let each = 0; each < count; each++) times[index + each] = before + (each + 1) * every
  }
  for (const [index, draft] of drafts.entries()) draft.time = times[index + 1]
}

const SECOND = 1000

interface FoundCheckpoints {
  /** What the job does about its checkpoint. */
  own: SeenCheckpoint
  /** Checkpoints that the job adds on its way, and those that were there before it. */
  timeline: ScenarioPart[]
  notes: string[]
}

interface ListedCheckpoint {
  readonly step: number
  readonly metrics: Fields
}

/** With more older checkpoints, a file says more about them than about the job. */
const MOST_OLDER = 20

/**
 * Tells the checkpoints of a job from others of its model. The service does not say which job added one, so metrics
 * decide: those of a checkpoint are those of the gradient step before it.
 */
function checkpointsOf(job: SeenJob, listed: FetchedJob['checkpoints']): FoundCheckpoints {
  const hasEnded = job.events.some(({ type }) => type === 'training_ended')
  if (listed === undefined) {
    const notes = ['The service does not list the checkpoints of its model.']
    return { own: { isAdded: hasEnded, onTheWay: [] }, timeline: [], notes }
  }
  const all = oldestFirst(listed)
  const steps = stepsIn(job)
  const matches = all.flatMap((checkpoint) => {
    const step = steps.findLastIndex(({ data }) => isMeasuredAt(checkpoint, data)) + 1
    return step > 0 ? [{ checkpoint, step }] : []
  })
  const notes: string[] = []
  const last = hasEnded
    ? matches.findLast(({ step }) => step === steps.length)?.checkpoint
    : undefined
  const newest = all.at(-1)
  const ownEnd = last ?? (hasEnded && newest && newest.step > 0 ? newest : undefined)
  if (hasEnded && !last) {
    notes.push(
      ownEnd
        ? `The metrics of no checkpoint are those of its last step, so the newest one, step ${ownEnd.step}, counts as its own.`
        : 'The list of its model does not have its checkpoint, so it adds none here.',
    )
  }
  const onTheWay = matches.filter(({ checkpoint, step }) => {
    return step < steps.length || !hasEnded ? checkpoint !== ownEnd : false
  })
  const first = onTheWay[0]?.checkpoint.step ?? ownEnd?.step ?? Infinity
  const older = olderThan(all, first)
  const later = all.filter(({ step }) => step > (ownEnd?.step ?? Infinity)).length
  if (later > 0)
    notes.push(
      `${counted(later, 'later checkpoint')} of its model ${later === 1 ? 'is' : 'are'} left out.`,
    )
  if (!hasEnded && older.timeline.length > 0) {
    notes.push(
      'The service does not say which job added a checkpoint. Those of its model are there before the job.',
    )
  }
  const added = onTheWay.map(({ checkpoint, step }) => addedAfter(step, checkpoint))
  return {
    own: {
      isAdded: ownEnd !== undefined,
      onTheWay: [],
      metrics: ownEnd && extraMetrics(ownEnd, job),
    },
    timeline: [...older.timeline, ...added],
    notes: [...notes, ...older.notes],
  }
}

/** Returns the checkpoints that have a step, the oldest first. */
function oldestFirst(listed: NonNullable<FetchedJob['checkpoints']>): ListedCheckpoint[] {
  return listed
    .flatMap(({ step, metrics }): ListedCheckpoint[] => {
      return typeof step === 'number' ? [{ step, metrics: fieldsOf(metrics) }] : []
    })
    .sort((one, other) => one.step - other.step)
}

/** Adds a checkpoint after a gradient step of the job, counted from 1. */
function addedAfter(step: number, { metrics }: ListedCheckpoint): ScenarioPart {
  const own = numbersIn(metrics)
  return {
    do: 'add_checkpoint',
    after: { event: 'gradient_step', step },
    ...(Object.keys(own).length > 0 && { metrics: own }),
  }
}

/** Whether a checkpoint has the metrics of a gradient step. */
function isMeasuredAt({ metrics }: ListedCheckpoint, data: Fields): boolean {
  const shared = Object.entries(data).flatMap(([name, value]) => {
    const measured = metrics[`train/${name}`] ?? metrics[name]
    return typeof value === 'number' && typeof measured === 'number' ? [value === measured] : []
  })
  return shared.length > 0 && shared.every(Boolean)
}

/** Writes the checkpoints that the model had before the job. */
function olderThan(
  all: readonly ListedCheckpoint[],
  first: number,
): Pick<FoundCheckpoints, 'timeline' | 'notes'> {
  const older = all.filter(({ step }) => step < first)
  const most = first === Infinity ? (older.at(-1)?.step ?? 0) : first - 1
  if (most < 1) return { timeline: [], notes: [] }
  if (most > MOST_OLDER) {
    const note = `Its model had checkpoints up to step ${most} before it. They are left out, so steps begin at 0 here.`
    return { timeline: [], notes: [note] }
  }
  const byStep = new Map(older.map((each) => [each.step, each]))
  const entry = (action: string, part: ScenarioPart): ScenarioPart => {
    return { do: action, after: { event: 'model_created' }, ...part }
  }
  const steps = Array.from({ length: most }, (_, index) => index + 1)
  const added = steps.map((step) => {
    const metrics = numbersIn(byStep.get(step)?.metrics ?? {})
    return entry('add_checkpoint', Object.keys(metrics).length > 0 ? { metrics } : {})
  })
  const deleted = [0, ...steps].flatMap((step) => {
    return byStep.has(step) ? [] : [entry('delete_checkpoint', { step })]
  })
  return { timeline: [...added, ...deleted], notes: [] }
}

function numbersIn(metrics: Fields): Record<string, number> {
  const numbers = Object.entries(metrics).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1]),
  )
  return Object.fromEntries(numbers)
}

/** What the emulator does not give to the checkpoint of such a job by itself. */
function extraMetrics(
  { metrics }: ListedCheckpoint,
  job: SeenJob,
): Record<string, number> | undefined {
  const last = stepsIn(job).at(-1)?.data ?? {}
  const started = job.events.find(({ type }) => type === 'training_started')?.data ?? {}
  const usual: Record<string, unknown> = { 'train/num_sequences': started['num_sequences'] }
  for (const [name, value] of Object.entries(last)) {
    usual[`train/${name}`] = typeof value === 'number' ? finite(value) : value
  }
  const own = Object.entries(numbersIn(metrics)).filter(([name, value]) => usual[name] !== value)
  return own.length > 0 ? Object.fromEntries(own) : undefined
}
