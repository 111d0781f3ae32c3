import { trainingJobEventTypes } from '../../service/contract/training-job.js'
import { usualMetrics } from '../../service/engine/jobs/metrics.js'
import type { JobKind } from '../../service/scenario/scenario.js'
import { extraMetrics, type SeenCheckpoint } from './checkpoints-seen.js'
import { textIn, type Fields, type ScenarioPart } from './exchanges.js'
import { isEnd } from './job-record.js'
import { endOf, stepsIn, type SeenEvent, type SeenJob } from './seen-job.js'
import { formatDuration, roundedBetween, roundedIn, type Span } from './times.js'
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
}

interface Place {
  /** When the job could start. */
  readonly base: number
  /** When the next job of the model was first seen to do something. This one was over then. */
  readonly until: number
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
  }
}

/** A scenario always says why a job failed. */
const UNKNOWN_MESSAGE = 'not in the recording'

function notesOf(job: SeenJob, { isSpread, isMean }: Course): string[] {
  const others = new Set(job.events.flatMap(({ type }) => (KNOWN.includes(type) ? [] : [type])))
  const { type, data } = endOf(job) ?? {}
  const { error_message: message = null } = data ?? {}
  return [
    isSpread && 'some of its events were seen at once. Here they lie evenly between two polls.',
    isMean && 'its steps came at irregular times. Here they have the mean time between them.',
    type === 'training_failed' &&
      message === null &&
      `its error message is not known, so its record has "${UNKNOWN_MESSAGE}" here.`,
    others.size > 0 && `other events are left out: ${[...others].join(', ')}.`,
  ].filter((note) => note !== false)
}

/** When everything happened. Times count from the moment when the job could start. */
interface Course {
  readonly startAt: number
  readonly blocks: readonly Block[]
  /** When the last step was. */
  readonly last: number
  readonly over: number
  /** Whether some events have times between two polls, and whether the steps have their mean time. */
  readonly isSpread: boolean
  readonly isMean: boolean
}

function courseOf(job: SeenJob, place: Place): Course {
  const known = job.events.filter(({ type }) => KNOWN.includes(type))
  const { moments, isSpread } = momentsOf(known, place)
  const steps = moments.filter((_moment, index) => known[index]!.type === 'gradient_step')
  const startAt = moments[known.findIndex(({ type }) => type === 'training_started')]?.at ?? 0
  const { blocks, isMean } = blocksOf(steps, startAt)
  const last = blocks.reduce((at, block) => at + lengthOf(block), startAt)
  const readAt = (job.polls.at(-1)?.answeredAt ?? 0) - place.base
  const unknown = Math.min(place.until - place.base, Math.max(readAt, last) + SECOND)
  const endAt = moments[known.findIndex(isEnd)]?.at ?? unknown
  return { startAt, blocks, last, over: Math.max(last, endAt), isSpread, isMean }
}

const KNOWN: readonly string[] = trainingJobEventTypes
const SECOND = 1000

/** When an event happened, and the polls that it lies between. Times count from the moment when its job could start. */
interface Moment extends Span {
  readonly at: number
}

/** Events of the same poll lie evenly between it and the poll before. */
function momentsOf(
  events: readonly SeenEvent[],
  { base, until }: Pick<Place, 'base' | 'until'>,
): { moments: Moment[]; isSpread: boolean } {
  const moments: Moment[] = []
  let isSpread = false
  for (let index = 0; index < events.length;) {
    const { span } = events[index]!
    const isSame = (each: SeenEvent): boolean => {
      return each.span.above === span.above && each.span.most === span.most
    }
    const different = events.slice(index).findIndex((each) => !isSame(each))
    const count = different === -1 ? events.length - index : different
    const before = moments.at(-1)?.at ?? 0
    const most = Math.max(before, lastTime(span, { base, until }) - base)
    const above = Math.min(most, Math.max(span.above - base, before - 1, -1))
    const isOne = count === 1 || most - Math.max(0, above) <= 1
    isSpread ||= !isOne
    for (let each = 1; each <= count; each++) {
      const even = above + Math.floor(((most - above) * each) / count)
      const at = isOne || each === count ? roundedIn({ above, most }) : Math.max(0, even)
      moments.push({ at: Math.max(at, moments.at(-1)?.at ?? 0), above, most })
    }
    index += count
  }
  return { moments, isSpread }
}

/** The end of a span. If the next job started in it, this one leaves half of the time to that. */
function lastTime({ above, most }: Span, { base, until }: Pick<Place, 'base' | 'until'>): number {
  const since = Math.max(above, base)
  const isShared = until <= most && most - since > 1
  return isShared ? Math.floor((since + Math.max(since, until)) / 2) : most
}

/** Gradient steps with the same time between them. */
interface Block {
  /** The time from the event before to the first step. */
  readonly after: number
  readonly every: number
  readonly count: number
}

function lengthOf({ after, every, count }: Block): number {
  return after + (count - 1) * every
}

/** More blocks than this for one job are not readable. */
const MOST_BLOCKS = 30

function blocksOf(steps: readonly Moment[], start: number): { blocks: Block[]; isMean: boolean } {
  const blocks: Block[] = []
  let last = start
  for (let done = 0; done < steps.length; done += blocks.at(-1)!.count) {
    if (blocks.length === MOST_BLOCKS) return { blocks: [meanBlock(steps, start)], isMean: true }
    const block = blockAt(steps, done, last)
    blocks.push(block)
    last += lengthOf(block)
  }
  return { blocks, isMean: false }
}

function meanBlock(steps: readonly Moment[], start: number): Block {
  // Whole milliseconds: the last step is at most so many of them early.
  const every = Math.floor(Math.max(0, steps.at(-1)!.at - start) / steps.length)
  return { after: every, every, count: steps.length }
}

/** Returns the longest block from a step on. Its first step may be as late as it was seen, or between two polls. */
function blockAt(steps: readonly Moment[], from: number, last: number): Block {
  const { at, above, most } = steps[from]!
  const late = blockFrom(steps, { from, first: at, last })
  const middle = Math.max(last, Math.ceil((above + most) / 2))
  const early = blockFrom(steps, { from, first: middle, last })
  return early.count > late.count ? early : late
}

/** The steps are within 10 % of a step, or between the polls that show them. */
function blockFrom(
  steps: readonly Moment[],
  { from, first, last }: { from: number; first: number; last: number },
): Block {
  let [least, most, count] = [0, Infinity, 1]
  for (; from + count < steps.length; count++) {
    const { at, ...polls } = steps[from + count]!
    const isExact = polls.most - polls.above <= 1
    const low = isExact ? (at - first) / (count + 0.1) : (polls.above + 1 - first) / count
    const high = isExact ? (at - first) / (count - 0.1) : (polls.most - first) / count
    if (Math.max(least, low) > Math.min(most, high)) break
    least = Math.max(least, low)
    most = Math.min(most, high)
  }
  const after = Math.max(0, first - last)
  if (count === 1) return { after, every: after, count }
  const mean = (steps[from + count - 1]!.at - first) / (count - 1)
  const every = roundedBetween(Math.min(most, Math.max(least, mean)), least, most)
  return { after, every, count }
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
    const metrics = metricsOf(job.kind, steps.slice(done, done + count), notes)
    done += count
    return {
      event: 'gradient_step',
      ...(after !== every && { after: formatDuration(after) }),
      every: formatDuration(every),
      count,
      ...metrics,
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

/** Figures of the submitted data, which the emulator computes from what a client submits. */
const FROM_DATA =
  /^(?:num_groups_submitted|num_groups_trainable|num_trajectories|num_trainable_tokens|num_tokens)$/

/** Names of metrics times steps. Each of them is looked at, also where a step has no value. */
const MOST_METRIC_VALUES = 5_000_000

/** Writes the metrics of steps as they are: numbers as lists, and everything else as spoiled. */
function metricsOf(kind: JobKind, steps: readonly SeenEvent[], notes: string[]): ScenarioPart {
  const usual = usualMetrics[kind]
  const given = new Set(steps.flatMap(({ data }) => Object.keys(data)))
  if (given.size * steps.length > MOST_METRIC_VALUES) {
    notes.push(
      `its ${given.size} metrics in ${steps.length} steps are left out, because a scenario cannot be as long.`,
    )
    return {}
  }
  const metrics: Record<string, unknown> = {}
  const spoiled = new Map<string, { at: number[]; metric: string; with: unknown }>()
  for (const name of new Set([...Object.keys(usual), ...given])) {
    if (FROM_DATA.test(name) || (kind === 'sft' && name === 'gradient_step')) continue
    const values = steps.map(({ data }) => data[name])
    if (values.some((value) => typeof value === 'object' && value !== null)) {
      notes.push(`the metric ${name} is left out: it is not a number.`)
      continue
    }
    const listed = listedNumbers(values)
    if (listed !== undefined && listed !== usual[name]) metrics[name] = listed
    for (const [index, value] of values.entries()) {
      if (Number.isFinite(value)) continue
      const bad = badValue(value)
      const key = JSON.stringify([name, bad])
      const same = spoiled.get(key) ?? { at: [], metric: name, with: bad }
      same.at.push(index + 1)
      spoiled.set(key, same)
    }
  }
  return {
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(spoiled.size > 0 && { spoil: [...spoiled.values()].map(spoilPart) }),
  }
}

function spoilPart({ at, ...rest }: { at: number[]; metric: string; with: unknown }): ScenarioPart {
  return { at: at.length === 1 ? at[0] : at, ...rest }
}

/** What a scenario calls a value that is not a number. */
function badValue(value: unknown): unknown {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return typeof value === 'number'
    ? String(value)
    : { text: textIn(value) ?? JSON.stringify(value) }
}

/** Lists the numbers of a metric, or says the number that all steps have. Undefined if no step has one. */
function listedNumbers(values: readonly unknown[]): unknown {
  const numbers = values.map((value) => (Number.isFinite(value) ? (value as number) : undefined))
  // Where a step has none, the one before stands in, because something must.
  let before = numbers.find((value) => value !== undefined)
  const filled = numbers.map((value) => (before = value ?? before))
  while (filled.length > 1 && filled.at(-1) === filled.at(-2)) filled.pop()
  return filled.length > 1 ? { curve: 'list', values: filled } : filled[0]
}
