import { printable } from '../../base/text/escape.js'
import { toIso } from '../../base/text/iso.js'
import { counted } from '../../base/text/counted.js'
import { MOST_EARLIER } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { BEFORE, failedBefore, restoreLines, wasRestored } from './before-restore.js'
import { arrow, formatEntry, severityOf, since, subjectOf, type Severity } from './format.js'
import { moreText, untilText } from './similar-entries.js'
import { timelineIn, type TimelineLine, type Upcoming } from './timeline.js'
import { latestWorlds, usedWorlds, type TracedWorld } from './used-worlds.js'
import { endlessJobs, stepsText, whyNotMoving, whyWaiting } from './waiting.js'
import { origin, type TestedWorld } from './world.js'
import { worstOf } from './worst-failures.js'

/** The most lines of a trace, unless somebody says otherwise: a page of a terminal. */
export const TRACE_LINES = 30
const MOST_UPCOMING = 5
/** How many failures stand above; in a long trace one for each hundred lines. */
const MOST_FAILED = 10
const MOST_WORLDS = 10

interface TraceOptions {
  /** Shows only what is about this job, and what that caused. Default: everything. */
  job?: Job | undefined
  /** The most lines; the latest are shown. Default: 30. */
  most?: number | undefined
  /** Whether to say which world it is. */
  named?: boolean
  /** Whether something above it says what failed. */
  withoutFailures?: boolean
}

/** More lines than a journal has entries. A trace with so many leaves out nothing. */
export const ALL_LINES = 10 ** 9

/** A line of a trace. */
export interface TraceLine {
  /** A head has no margin, and `left_out` says how many lines are not there. */
  readonly kind: 'head' | 'entry' | 'left_out'
  /** The time of an entry, as wide as those of the others. */
  readonly time: string | null
  /** How many causes of an entry are on the timeline. An arrow shows it. */
  readonly depth: number
  readonly text: string
  /** How bad it is what an entry tells of. Null if nothing failed. */
  readonly severity: Severity | null
}

const PLAIN = { time: null, depth: 0, severity: null } as const

/** Formats lines of a trace. */
export function traceText(lines: readonly TraceLine[]): string {
  return lines
    .map(({ kind, time, depth, text }) => {
      if (kind === 'head') return text
      return `  ${time === null ? '' : `${time}  `}${arrow(depth)}${text}`
    })
    .join('\n')
}

/** Formats the timelines of a world and of the worlds of its API keys, as `linesOfWorlds` has them. */
export function tracesOf(world: TracedWorld, options: Pick<TraceOptions, 'most'> = {}): string {
  return traceText(linesOfWorlds(world, options))
}

/**
 * The timelines of a world and of the worlds of its API keys, each with its name. Worlds in which nothing happened are
 * left out, and all but ten: the world itself, and those that were used last.
 */
export function linesOfWorlds(
  world: TracedWorld,
  { most }: Pick<TraceOptions, 'most'> = {},
): TraceLine[] {
  const used = usedWorlds(world)
  const left = (most ?? 0) >= ALL_LINES ? 0 : Math.max(0, used.length - MOST_WORLDS)
  // In a trace of one world, the name would only say in which order the tests ran.
  const named = [...world.worlds].length > 0
  const parts = latestWorlds(used, used.length - left).map((each) =>
    linesOfWorld(each, { most, named }),
  )
  if (left > 0) parts.unshift([head(`… ${counted(left, 'world')} before these`)])
  return parts.flatMap((lines, index) => (index === 0 ? lines : [head(''), ...lines]))
}

/**
 * The timeline: what happened, in order of time, and what is scheduled. An arrow marks what an earlier line caused:
 * request → job event → delivery → receipt. Effects at the same moment follow their cause. The head says how to
 * reproduce it, and when the times begin. The worst that failed stands above all else.
 */
export function linesOfWorld(
  world: TestedWorld,
  { job, most = TRACE_LINES, named = false, withoutFailures = false }: TraceOptions = {},
): TraceLine[] {
  const isWhole = most >= ALL_LINES
  const { past, next } = timelineIn(world, { job, shorten: !isWhole })
  const tracing: Tracing = {
    world,
    job,
    name: named && world.worldName ? ` in ${world.worldName}` : '',
    start: past[0]?.item.at ?? world.engine.clock.now(),
    most,
    mostFailed: isWhole ? Infinity : Math.max(MOST_FAILED, Math.floor(most / 100)),
    mostUpcoming: isWhole ? Infinity : MOST_UPCOMING,
  }
  return aligned([
    ...failureLines(tracing, withoutFailures ? [] : past),
    ...(tellsRestore(world, job, past.length > 0) ? restoreLines(world).map(head) : []),
    ...changedLine(world),
    ...happenedLines(tracing, past),
    ...scheduledLines(tracing, next),
    ...waitingLines(tracing),
  ])
}

interface Tracing {
  readonly world: TestedWorld
  readonly job: Job | undefined
  /** Completes the heads. Empty if the world has no name. */
  readonly name: string
  /** When the times begin. */
  readonly start: number
  /** The most lines of what happened, of what failed, and of what is scheduled or stuck. */
  readonly most: number
  readonly mostFailed: number
  readonly mostUpcoming: number
}

type Past = readonly TimelineLine<JournalEntry>[]

/** The worst that failed. What failed before a restore is there in any case: no report above a trace says it. */
function failureLines({ world, job, name, start, mostFailed }: Tracing, past: Past): TraceLine[] {
  const old = failedBefore(world, job)
  const before = old.slice(-mostFailed).map((text): TraceLine => {
    return { ...PLAIN, kind: 'entry', time: BEFORE, text, severity: 'fail' }
  })
  const entries = past.map(({ item }) => item)
  const { failed, unshown } = worstOf(entries, world, mostFailed)
  const lines = [...before, ...failed.map(({ entry, ...rest }) => timedLine(start, entry.at, rest))]
  const hidden = unshown + old.length - before.length
  return [
    ...(lines.length > 0 ? [head(`What failed${name}:`)] : []),
    ...lines,
    ...leftOut(hidden, `and ${counted(hidden, 'other failure')}`),
  ]
}

/** Says which scenarios what happened is of: the head names the current one. */
function changedLine({ engine: { earlierScenarios: before, scenario } }: TestedWorld): TraceLine[] {
  if (before.length === 0) return []
  const [first, ...others] = [...before, scenario.name].map((name) => JSON.stringify(name))
  // Those between may be forgotten.
  const later = before.length > MOST_EARLIER ? ['others', ...others.slice(1)] : others
  return [head(`The scenario was changed: first ${first}, then ${later.join(', then ')}.`)]
}

function happenedLines({ world, job, name, start, most }: Tracing, past: Past): TraceLine[] {
  if (past.length === 0) return [head(`${nothingText(world, job, name)} (${origin(world)}).`)]
  const shown = past.slice(-most).map(({ item, depth, more, until }) => {
    const end = untilText(item.at, until, (at) => since(start, at))
    const text = moreText(item, more, formatEntry(item)) + end
    return timedLine(start, item.at, { depth, text, severity: severityOf(item) })
  })
  const left = past.length - shown.length
  return [
    head(`What happened${name} (${origin(world)}${startText(start, job)}):`),
    ...leftOut(left, `${counted(left, 'line')} before these`),
    ...shown,
  ]
}

function scheduledLines(
  { world, start, mostUpcoming }: Tracing,
  next: readonly TimelineLine<Upcoming>[],
): TraceLine[] {
  if (next.length === 0) return []
  const shown = next.slice(0, mostUpcoming).map(({ item, depth }) => {
    return timedLine(start, item.at, { depth, text: printable(item.text) })
  })
  const later = next.length - shown.length
  const now = since(start, world.engine.clock.now())
  return [head(`Now ${now}. Scheduled:`), ...shown, ...leftOut(later, `${later} more`)]
}

function head(text: string): TraceLine {
  return { ...PLAIN, kind: 'head', text }
}

function leftOut(count: number, text: string): TraceLine[] {
  return count > 0 ? [{ ...PLAIN, kind: 'left_out', text: `… ${text}` }] : []
}

/** A line of a trace whose times begin with `start`. */
function timedLine(
  start: number,
  at: number,
  facts: Pick<TraceLine, 'text'> & Partial<TraceLine>,
): TraceLine {
  return { ...PLAIN, kind: 'entry', time: since(start, at), ...facts }
}

/** The lines, with times of equal width. */
function aligned(lines: readonly TraceLine[]): TraceLine[] {
  const width = Math.max(0, ...lines.map(({ time }) => time?.length ?? 0))
  return lines.map((line) => {
    return { ...line, time: line.time?.padStart(width) ?? null }
  })
}

/** Whether to say that the journal begins with a restore. If nothing happened to a job since, that is said anyway. */
function tellsRestore(world: TestedWorld, job: Job | undefined, hasPast: boolean): boolean {
  return job ? job.isRestored && hasPast : wasRestored(world)
}

/** Says when the times begin: those of a job do not begin where those of the whole trace do. */
function startText(start: number, job: Job | undefined): string {
  const submission = start === job?.createdAt ? 'its submission at ' : ''
  return `, times since ${submission}${toIso(start)}`
}

/** Says why a job waits, or which jobs are stuck, and why. */
function waitingLines({ world: { engine }, job, mostUpcoming }: Tracing): TraceLine[] {
  if (job) {
    const waits = whyWaiting(engine, job)
    return waits === undefined ? [] : [head(`The job waits: ${waits}.`)]
  }
  const endless = endlessJobs(engine)
  if (endless.length === 0) return []
  const shown = endless.slice(0, mostUpcoming).map((each): TraceLine => {
    const subject = subjectOf({ modelName: each.model.name, jobId: each.id })
    return { ...PLAIN, kind: 'entry', text: printable(`${subject}: ${whyNotMoving(engine, each)}`) }
  })
  const left = endless.length - shown.length
  return [head('Stuck:'), ...shown, ...leftOut(left, `${left} more`)]
}

/** Says that nothing happened, or why the journal does not know what did. */
function nothingText(world: TestedWorld, job: Job | undefined, name: string): string {
  if (!job?.isRestored) return `Nothing happened${wasRestored(world) ? ' since' : ''}${name}`
  const state = `${job.progress.status}, ${stepsText(job)}`
  return `Resumed from a snapshot, whose journal is not in it: the job is ${state}`
}
