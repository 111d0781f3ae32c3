import { didYouMean } from '../../base/text/nearest.js'
import { trainingJobEventTypes } from '../../service/contract/training-job.js'
import { extraMetrics, type SeenCheckpoint } from './checkpoints-seen.js'
import { textIn, type Fields, type ScenarioPart } from './exchanges.js'
import { courseOf, isKnown, type Block, type Bounds, type Course } from './job-course.js'
import { isEnd, isStart } from './job-record.js'
import { endOf, stepsIn, type SeenEvent, type SeenJob } from './seen-job.js'
import { metricsOf } from './step-metrics.js'
import { formatDuration } from './times.js'
import { UNKNOWN_END } from './unfinished-jobs.js'

/** What happened to a job, as a scenario says it. */
export interface WrittenJob {
  /** A rule without its `match`. */
  readonly rule: ScenarioPart
  /** Checkpoints that it added before its end, as entries of the timeline of the scenario. */
  readonly onTheWay: readonly ScenarioPart[]
  /** When it was over. All times are milliseconds since the first request. */
  readonly over: number
  /** What the file does not say as it was seen. */
  readonly notes: readonly string[]
  /** Where its events are missing or odd, so that the file says something else. */
  readonly losses: readonly string[]
}

interface Place extends Bounds {
  readonly checkpoint: SeenCheckpoint | undefined
  /** Conditions that select the events of this job among those of others. */
  readonly only: ScenarioPart
}

/** Writes the events of a job with their values and times. */
export function writeJob(job: SeenJob, place: Place): WrittenJob {
  const { base, checkpoint } = place
  const course = courseOf(job, place)
  const { startAt, last, over, blocks } = course
  const gradients = writeSteps(job, blocks)
  const isOver = job.goesOn || endOf(job) !== undefined
  const timeline = [
    ...writeStart(job, startAt),
    ...gradients.timeline,
    isOver
      ? writeEnd(job, { after: over - last, over: base + over, checkpoint })
      : { event: 'never' },
  ]
  const { num_sequences: sequences } = startOf(job)?.data ?? {}
  const taken = stepsIn(job).length
  // A job announces the steps of its timeline, if it has any.
  const isUsual = taken > 0 && sequences === taken
  return {
    rule: {
      ...(typeof sequences === 'number' && !isUsual && { num_sequences: sequences }),
      timeline,
    },
    onTheWay: (checkpoint?.onTheWay ?? []).map((added) => addedOnTheWay(job, added, course, place)),
    over: isOver ? base + over : Infinity,
    notes: [...gradients.notes, ...job.notes, ...notesOf(job, course)],
    losses: [...job.losses, ...lossesOf(job)],
  }
}

/** A scenario always says why a job failed. */
const UNKNOWN_MESSAGE = 'not in the recording'

function notesOf(job: SeenJob, { isSpread, isMean }: Course): string[] {
  const { type, data } = endOf(job) ?? {}
  const { error_message: message = null } = data ?? {}
  return [
    isSpread && 'some of its events were seen at once. Here they lie evenly between two polls.',
    isMean && 'its steps came at irregular times. Here they have the mean time between them.',
    type === 'training_failed' &&
      message === null &&
      `its error message is not known, so its record has "${UNKNOWN_MESSAGE}" here.`,
  ].filter((note) => note !== false)
}

/** A scenario has a start before all steps, and one end after them. */
function lossesOf(job: SeenJob): string[] {
  const { events } = job
  const known = events.filter(isKnown)
  const others = new Set(events.filter((event) => !isKnown(event)).map(({ type }) => type))
  const steps = known.filter(({ type }) => type === 'gradient_step')
  const [starts, ends] = [known.filter(isStart), known.filter(isEnd)]
  const usual = [...starts, ...steps, ...ends]
  const isOdd = usual.some((event, place) => event !== known[place])
  return [
    starts.length === 0 &&
      steps.length > 0 &&
      'no event is its start, so events before step 1 may be missing. Here it starts just before.',
    ...[starts, ends].map(
      (same) =>
        same.length > 1 &&
        `it has ${same.length} events ${same.map(({ type }) => type).join(', ')}. Here only the first counts.`,
    ),
    isOdd && 'some of its steps come before its start or after its end. Here all are between them.',
    ...[...others].map((type) => {
      return `its events ${type} are left out.${didYouMean(type, trainingJobEventTypes)}`
    }),
    misnamedMessage(endOf(job)),
  ].filter((loss) => loss !== false)
}

/** Says that a failed job has a text under another name than that of the service. False if it has none. */
function misnamedMessage(end: SeenEvent | undefined): string | false {
  if (end?.type !== 'training_failed' || end.data['error_message'] !== undefined) return false
  const names = Object.keys(end.data).filter((name) => typeof end.data[name] === 'string')
  return names.length > 0 && `its end has ${names.join(', ')}, and no error_message.`
}

function startOf({ events }: SeenJob): SeenEvent | undefined {
  return events.find(({ type }) => type === 'training_started')
}

/** Writes the start. A job with steps has one, even if the recording begins later. */
function writeStart(job: SeenJob, at: number): ScenarioPart[] {
  const started = startOf(job)
  if (!started && stepsIn(job).length === 0) return []
  const { num_sequences: _announced, ...data } = started?.data ?? {}
  const more = Object.keys(data).length > 0 ? { data } : {}
  return [{ event: 'training_started', after: formatDuration(at), ...more }]
}

function writeSteps(
  job: SeenJob,
  blocks: readonly Block[],
): { timeline: ScenarioPart[]; notes: string[] } {
  const steps = stepsIn(job)
  const notes: string[] = []
  let done = 0
  const timeline = blocks.map(({ after, every, count }) => {
    const metrics = metricsOf(job.kind, steps.slice(done, done + count))
    notes.push(...metrics.notes)
    done += count
    return {
      event: 'gradient_step',
      ...(after !== every && { after: formatDuration(after) }),
      every: formatDuration(every),
      count,
      ...metrics.part,
    }
  })
  return { timeline, notes }
}

interface Ending {
  /** The time from the event before. */
  readonly after: number
  readonly over: number
  readonly checkpoint: SeenCheckpoint | undefined
}

function writeEnd(job: SeenJob, { after: time, over, checkpoint }: Ending): ScenarioPart {
  const end = endOf(job)
  const after = formatDuration(time)
  if (!end) return { event: 'training_failed', after, error_message: UNKNOWN_END }
  if (end.type === 'training_ended') {
    return { event: 'training_ended', after, ...checkpointOf(job, checkpoint, over) }
  }
  const message = end.data['error_message'] ?? UNKNOWN_MESSAGE
  return {
    event: 'training_failed',
    after,
    error_message: textIn(message) ?? JSON.stringify(message),
  }
}

/** Writes the checkpoint of a job that ended at `over`: its own metrics, and when it was served. */
function checkpointOf(job: SeenJob, seen: SeenCheckpoint | undefined, over: number): ScenarioPart {
  if (!seen) return {}
  if (!seen.isAdded) return { checkpoint: false }
  const { served, evicted, expired } = seen
  const taken = stepsIn(job).length
  // Without steps, its metrics follow from what a client submits.
  const metrics = taken === 0 ? {} : extraMetrics(seen.metrics ?? {}, usualOf(job, taken))
  const since = (at: number): string => formatDuration(Math.max(0, at - over))
  const options = {
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(served !== undefined && { served_after: since(served) }),
    ...(evicted !== undefined && { evicted_after: since(evicted) }),
    ...(expired !== undefined && { expires_after: since(expired) }),
  }
  return Object.keys(options).length > 0 ? { checkpoint: options } : {}
}

/** What the emulator gives to the checkpoint of a job after so many steps. */
function usualOf(job: SeenJob, taken: number): Fields {
  const { num_sequences } = startOf(job)?.data ?? {}
  return { num_sequences, ...stepsIn(job)[taken - 1]?.data }
}

/** Adds a checkpoint when a list first had it: this long after the step before. */
function addedOnTheWay(
  job: SeenJob,
  { at: seenAt, metrics }: SeenCheckpoint['onTheWay'][number],
  { startAt, blocks, over }: Course,
  { base, only }: Place,
): ScenarioPart {
  const at = Math.min(seenAt - base, over)
  let moment = startAt
  const moments = blocks.flatMap(({ after, every, count }) => {
    return Array.from({ length: count }, (_, index) => (moment += index === 0 ? after : every))
  })
  const step = moments.filter((each) => each <= at).length
  const wait = Math.max(0, Math.floor(at - (moments[step - 1] ?? startAt)))
  const own = extraMetrics(metrics, usualOf(job, step))
  const after =
    step === 0 ? { event: 'training_started', ...only } : { event: 'gradient_step', ...only, step }
  return {
    do: 'add_checkpoint',
    after,
    ...(wait > 0 && { wait: formatDuration(wait) }),
    ...(Object.keys(own).length > 0 && { metrics: own }),
  }
}
