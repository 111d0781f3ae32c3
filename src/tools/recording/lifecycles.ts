import { announced } from '../../service/engine/jobs/rule.js'
import { usualMetrics } from '../../service/engine/jobs/metrics.js'
import type { TimelineStep } from '../../service/scenario/scenario.js'
import { endOf, type SeenCheckpoint, type SeenCheckpoints } from './checkpoints-seen.js'
import { fitTimes, type Block, type FittedTimes } from './fit-times.js'
import { textIn } from './exchanges.js'
import { stepsIn, type SeenEvent, type SeenJob } from './jobs-seen.js'
import { formatDuration, timeIn, type Span } from './times.js'
import { UNKNOWN_END, type UnfinishedJob } from './unfinished-jobs.js'

/** A part of a scenario, as it is written. */
export type ScenarioPart = Readonly<Record<string, unknown>>

/** What happened to a job, as a scenario says it. */
export interface Lifecycle {
  readonly job: SeenJob
  /** A rule without its `match`. */
  readonly rule: ScenarioPart
  /** Checkpoints that the job added while it ran: after this step, and this much later. */
  readonly onTheWay: readonly { step: number; wait: string }[]
  /** What a scenario cannot say. */
  readonly notes: readonly string[]
}

/** What the scenario does with batches that have nothing to train on. */
export type NothingToTrain = 'skip' | 'train' | 'fail' | { fail: string }

/** Writes the lifecycle of each job. The jobs of a model run one after the other. */
export function lifecyclesOf(
  jobs: readonly SeenJob[],
  { checkpoints, nothingToTrain, unfinished }: LifecycleOptions,
): Lifecycle[] {
  const freeAt = new Map<string, number>()
  return jobs.map((job, index) => {
    const key = job.model?.id ?? job.id
    const hidden = checkpoints.hiddenJobs.get(job.id) ?? []
    const created = Math.min(job.createdAt, hidden[0]?.answeredAt ?? hidden[0]?.sentAt ?? Infinity)
    const base = Math.max(created, freeAt.get(key) ?? -Infinity)
    if (base === Infinity) {
      freeAt.set(key, Infinity)
      // It waits for a job that stays as it is.
      return { job, rule: { timeline: [unknownEnd(0)] }, onTheWay: [], notes: [] }
    }
    const times = timesOf(job, { base, hidden: hidden.length, later: laterThan(jobs, index) })
    const own = unfinished.get(job.id)
    if (own && !own.stays)
      times.fitted.end = endOfUnfinished(own, { times, base, next: nextOf(jobs, index) })
    freeAt.set(key, own?.stays ? Infinity : base + times.queued + lengthOf(times.fitted))
    const checkpoint = checkpoints.ofJobs.get(job.id)
    return write(job, { times, base, checkpoint, nothingToTrain, unfinished: own })
  })
}

export interface LifecycleOptions {
  checkpoints: SeenCheckpoints
  nothingToTrain: NothingToTrain
  /** The jobs without an end, by id. */
  unfinished: ReadonlyMap<string, UnfinishedJob>
}

/** When the next job of the same model was first seen to do something. */
function nextOf(jobs: readonly SeenJob[], index: number): number {
  const { model } = jobs[index]!
  const next = jobs.slice(index + 1).find((each) => {
    return model !== undefined && each.model?.id === model.id && each.events.length > 0
  })
  return next?.events[0]?.span.most ?? Infinity
}

/** The time from the last event of an unfinished job to its end: a little longer than the client saw it. */
function endOfUnfinished(
  { seenUntil }: UnfinishedJob,
  { times, base, next }: { times: Times; base: number; next: number },
): number {
  const last = base + times.queued + lengthOf(times.fitted)
  const seen = Math.max(0, seenUntil - last)
  const most = Math.max(1, Math.min(seen * 1.05 + 1000, next - last))
  return timeIn({ above: Math.min(seen, most - 1), most })
}

function unknownEnd(after: number): ScenarioPart {
  return { event: 'training_failed', after: formatDuration(after), error_message: UNKNOWN_END }
}

interface Times {
  fitted: FittedTimes
  /** The time until hidden jobs of the same model are over. */
  queued: number
}

function lengthOf({ start = 0, blocks, end = 0 }: FittedTimes): number {
  return start + end + blocks.reduce((sum, block) => sum + lengthOfBlock(block), 0)
}

function lengthOfBlock({ after, every, count }: Block): number {
  return after + (count - 1) * every
}

/** What later jobs of the same model did before the end of a job was seen. */
function laterThan(jobs: readonly SeenJob[], index: number): SeenEvent[] {
  const job = jobs[index]!
  const over = endOf(job)?.span.most
  if (job.model === undefined || over === undefined) return []
  const later = jobs.slice(index + 1).filter(({ model }) => model?.id === job.model?.id)
  return later.flatMap(({ events }) => events.filter(({ span }) => span.most <= over))
}

function timesOf(
  job: SeenJob,
  { base, hidden, later }: { base: number; hidden: number; later: readonly SeenEvent[] },
): Times {
  const spanOf = ({ span: { above, most } }: SeenEvent): Span => {
    // An event never happens before its job could start. A poll of the same moment shows it.
    return { above: Math.max(-1, above - base), most: Math.max(0, most - base) }
  }
  const started = job.events.find(({ type }) => type === 'training_started')
  const end = endOf(job)
  const fitted = fitTimes({
    start: started && spanOf(started),
    steps: stepsIn(job).map(spanOf),
    end: end && spanOf(end),
    hidden,
    later: later.map(spanOf),
  })
  if (hidden === 0 || fitted.start === undefined) return { fitted, queued: 0 }
  // The hidden jobs took as long as this one. So its start came after their starts and their work.
  const work = lengthOf(fitted) - fitted.start
  const start = Math.max(0, (fitted.start - hidden * work) / (hidden + 1))
  return { fitted: { ...fitted, start }, queued: hidden * (start + work) }
}

interface Context {
  times: Times
  base: number
  checkpoint: SeenCheckpoint | undefined
  nothingToTrain: NothingToTrain
  unfinished: UnfinishedJob | undefined
}

function write(job: SeenJob, context: Context): Lifecycle {
  const { times, base, checkpoint, nothingToTrain, unfinished } = context
  const { fitted } = times
  const sequences = sequencesOf(job, nothingToTrain)
  const gradients = writeSteps(job, { fitted, sequences })
  const over = base + times.queued + lengthOf(fitted)
  const timeline = [
    ...writeStart(job, fitted),
    ...gradients.timeline,
    unfinished?.stays ? { event: 'never' } : writeEnd(job, { fitted, checkpoint, over }),
  ]
  const numSequences = announcedBy(job)
  const usual = announced(timeline as unknown as TimelineStep[], sequences ?? -1)
  const isOwn = numSequences !== undefined && numSequences !== usual
  const others = new Set(job.events.map(({ type }) => type).filter((type) => !KNOWN.includes(type)))
  return {
    job,
    rule: { ...(isOwn && { num_sequences: numSequences }), timeline },
    onTheWay: onTheWay(checkpoint, { base: base + times.queued, fitted }),
    notes: [
      ...gradients.notes,
      ...recordNotes(job),
      ...(others.size > 0 ? [`Other events are left out: ${[...others].join(', ')}.`] : []),
    ],
  }
}

/** What a record does not show, or says in other words. */
function recordNotes(job: SeenJob): string[] {
  const { isListed, polls, translated } = job
  const end = endOf(job)
  const isPolled = polls.length > 0 && !isListed
  const isUnexplained = end?.type === 'training_failed' && end.data['error_message'] === undefined
  return [
    ...(isPolled && startOf(job)
      ? [
          'Its gradient steps are not in its record, and the client did not list its events. So it has none here.',
        ]
      : []),
    ...(isUnexplained ? ['Its record does not say why it failed.'] : []),
    ...[...translated].map(([word, status]) => `For "${word}" the emulator says "${status}".`),
  ]
}

function startOf({ events }: SeenJob): SeenEvent | undefined {
  return events.find(({ type }) => type === 'training_started')
}

/** The number of sequences that the job announced. */
function announcedBy(job: SeenJob): number | undefined {
  const announcedNumber = startOf(job)?.data['num_sequences']
  return typeof announcedNumber === 'number' ? announcedNumber : undefined
}

/** Writes the start. A job with steps has one, even if the recording begins later. */
function writeStart(job: SeenJob, { start = 0 }: FittedTimes): ScenarioPart[] {
  const started = startOf(job)
  if (!started && stepsIn(job).length === 0) return []
  const { num_sequences: _announced, ...data } = started?.data ?? {}
  const more = Object.keys(data).length > 0 ? { data } : {}
  return [{ event: 'training_started', after: formatDuration(start), ...more }]
}

function writeSteps(
  job: SeenJob,
  { fitted: { blocks }, sequences }: { fitted: FittedTimes; sequences: number | undefined },
): { timeline: ScenarioPart[]; notes: string[] } {
  const steps = stepsIn(job)
  const followsData = blocks.length === 1 && sequences === steps.length
  const timeline: ScenarioPart[] = []
  const notes: string[] = []
  let done = 0
  for (const { after, every, count, jitter } of blocks) {
    const metrics = metricsOf(job, steps.slice(done, done + count))
    notes.push(...metrics.notes)
    timeline.push({
      event: 'gradient_step',
      ...(after !== every && { after: formatDuration(after) }),
      ...((count > 1 || after === every) && { every: formatDuration(every) }),
      ...(jitter !== undefined && { jitter: formatDuration(jitter) }),
      ...(!followsData && { count }),
      ...metrics.written,
    })
    done += count
  }
  return { timeline, notes }
}

interface Ending {
  fitted: FittedTimes
  checkpoint: SeenCheckpoint | undefined
  /** When the job was over. */
  over: number
}

function writeEnd(job: SeenJob, { fitted, checkpoint, over }: Ending): ScenarioPart {
  const end = endOf(job)
  if (!end) return unknownEnd(fitted.end ?? 0)
  const after = formatDuration(fitted.end ?? 0)
  if (end.type === 'training_ended') {
    return { event: 'training_ended', after, ...checkpointOf(checkpoint, over) }
  }
  const { error_message: message = 'not in the recording' } = end.data
  const error_message = textIn(message) ?? JSON.stringify(message)
  return { event: 'training_failed', after, error_message }
}

const KNOWN = ['training_started', 'gradient_step', 'training_ended', 'training_failed']

/** The number of steps that the job takes by default. Undefined if the recording does not show it. */
function sequencesOf({ submitted }: SeenJob, rule: NothingToTrain): number | undefined {
  if (submitted?.nothingToTrain !== undefined && rule !== 'train') return 0
  return submitted?.sequences
}

/** Writes the checkpoint of a job that ended at `over`: its own metrics, and when it was served. */
function checkpointOf(seen: SeenCheckpoint | undefined, over: number): ScenarioPart {
  if (!seen) return {}
  if (!seen.isAdded) return { checkpoint: false }
  const since = ({ above, most }: Span): string => {
    const span = { above: Math.max(-1, above - over), most: Math.max(0, most - over) }
    return formatDuration(timeIn(span))
  }
  const options = {
    ...(seen.metrics && { metrics: seen.metrics }),
    ...(seen.served && { served_after: since(seen.served) }),
    ...(seen.evicted && { evicted_after: since(seen.evicted) }),
    ...(seen.expired && { expires_after: since(seen.expired) }),
  }
  return Object.keys(options).length > 0 ? { checkpoint: options } : {}
}

/** Says after which step a checkpoint was added, and how much later. */
function onTheWay(
  seen: SeenCheckpoint | undefined,
  { base, fitted }: { base: number; fitted: FittedTimes },
): Lifecycle['onTheWay'] {
  const moments: number[] = []
  let at = base + (fitted.start ?? 0)
  for (const { after, every, count } of fitted.blocks) {
    for (let index = 0; index < count; index++) moments.push((at += index === 0 ? after : every))
  }
  const over = at + (fitted.end ?? 0)
  return (seen?.onTheWay ?? []).map(({ above, most }, index, all) => {
    // Between two polls, checkpoints come after equally many steps.
    const inside = moments.filter((moment) => moment >= above && moment <= most)
    const same = all.filter((each) => each.above === above && each.most === most).length
    const place = Math.floor(((index % same) + 1) * (inside.length / (same + 1)))
    const moment = inside[Math.min(inside.length - 1, Math.max(0, place))] ?? moments[0] ?? base
    const step = moments.filter((each) => each <= moment).length
    const until = Math.min(most, moments[step] ?? over)
    const wait = above < moment ? 0 : timeIn({ above: above - moment, most: (until - moment) / 2 })
    return { step: Math.max(1, step), wait: formatDuration(wait) }
  })
}

/** Writes the metrics of gradient steps. Metrics that the emulator has by itself are left out. */
function metricsOf(
  job: SeenJob,
  events: readonly SeenEvent[],
): { written: ScenarioPart; notes: string[] } {
  const { kind, submitted } = job
  const usual = usualMetrics[kind]
  const names = new Set(events.flatMap(({ data }) => Object.keys(data)))
  const own = new Set([...Object.keys(usual), ...Object.keys(submitted?.metrics ?? {})])
  if (names.size * events.length > MOST_METRIC_VALUES) {
    const note = `Its ${names.size} metrics in ${events.length} steps are left out, because a scenario cannot be as long.`
    return { written: {}, notes: [note] }
  }
  const metrics: Record<string, unknown> = {}
  const bad = new Map<string, { with: unknown; at: number[]; metric: string[] }>()
  const notes: string[] = []
  for (const name of new Set([...names, ...own])) {
    if (kind === 'sft' && name === 'gradient_step') continue
    const isExpected = hasExpected(job, name)
    const values = events.map(({ data }) => {
      const value = data[name]
      if (typeof value === 'number' && Number.isFinite(value)) return isExpected ? undefined : value
      if (typeof value === 'object' && value !== null) return undefined
      return bad_(value)
    })
    if (submitted === undefined && FROM_DATA.test(name)) continue
    if (events.some(({ data }) => typeof data[name] === 'object' && data[name] !== null)) {
      notes.push(`The metric ${name} is left out: it is not a number.`)
      continue
    }
    const listed = listedValues(values)
    if (listed !== undefined && listed !== usual[name]) metrics[name] = listed
    collect(bad, name, values)
  }
  const spoil = merged([...bad.values()])
  const written = {
    ...(Object.keys(metrics).length > 0 && { metrics }),
    ...(spoil.length > 0 && { spoil }),
  }
  return { written, notes }
}

/** Names of metrics times steps. Each of them is looked at, also where a step has no value. */
const MOST_METRIC_VALUES = 5_000_000

/** Figures of the submitted data, which the emulator computes from what a client submits. */
const FROM_DATA =
  /^(?:num_groups_submitted|num_groups_trainable|num_trajectories|num_trainable_tokens|num_tokens)$/

class Bad {
  readonly value: unknown

  constructor(value: unknown) {
    this.value = value
  }
}

function bad_(value: unknown): Bad {
  if (value === undefined) return new Bad('missing')
  if (value === null) return new Bad('null')
  return new Bad(
    typeof value === 'number' ? String(value) : { text: textIn(value) ?? JSON.stringify(value) },
  )
}

/** Whether a metric has the value of the submitted data in all steps that have a number. */
function hasExpected(job: SeenJob, name: string): boolean {
  const expected = expectedOf(job, name)
  if (expected === undefined) return false
  return stepsIn(job).every(({ data: { [name]: value } }, index) => {
    return !Number.isFinite(value) || Object.is(value, expected(index + 1))
  })
}

/** Returns the value that a metric has by the submitted data, for each step. Undefined if it has none. */
function expectedOf({ submitted }: SeenJob, name: string): ((step: number) => unknown) | undefined {
  if (!submitted) return undefined
  const { metrics, learningRate: rate } = submitted
  if (name === 'learning_rate' && rate !== undefined) {
    return (step) => (Array.isArray(rate) ? rate[Math.min(step, rate.length) - 1] : rate)
  }
  return Object.hasOwn(metrics, name) ? () => metrics[name] : undefined
}

/** Lists the numbers of a metric, or says the number that all steps have. Undefined if no step has one. */
function listedValues(values: readonly unknown[]): unknown {
  const numbers = values.map((value) => (typeof value === 'number' ? value : undefined))
  // Where a step has none, the one before stands in, because something must.
  let before = numbers.find((value) => value !== undefined)
  const filled = numbers.map((value) => (before = value ?? before))
  while (filled.length > 1 && filled.at(-1) === filled.at(-2)) filled.pop()
  return filled.length > 1 ? { curve: 'list', values: filled } : filled[0]
}

type Spoils = Map<string, { with: unknown; at: number[]; metric: string[] }>

function collect(bad: Spoils, name: string, values: readonly unknown[]): void {
  const own = new Map<string, { with: unknown; at: number[] }>()
  for (const [index, value] of values.entries()) {
    if (!(value instanceof Bad)) continue
    const key = JSON.stringify(value.value)
    const spoiled = own.get(key) ?? { with: value.value, at: [] }
    spoiled.at.push(index + 1)
    own.set(key, spoiled)
  }
  for (const [key, { with: value, at }] of own) {
    const place = `${key} ${at.join(',')}`
    const same = bad.get(place) ?? { with: value, at, metric: [] }
    same.metric.push(name)
    bad.set(place, same)
  }
}

function merged(
  spoils: readonly { with: unknown; at: number[]; metric: string[] }[],
): ScenarioPart[] {
  const sorted = [...spoils].sort((one, other) => one.at[0]! - other.at[0]!)
  return sorted.map(({ with: value, at, metric }) => ({
    at: at.length === 1 ? at[0] : at,
    metric: metric.length === 1 ? metric[0] : metric,
    with: value,
  }))
}
