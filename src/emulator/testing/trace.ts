import { printable } from '../../base/text/escape.js'
import { toIso } from '../../base/text/iso.js'
import { counted, groupsOf } from '../../base/text/counted.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { BEFORE, failedBefore, restoreLines, wasRestored } from './before-restore.js'
import { failedDeliveries } from './failed-deliveries.js'
import { formatEntry, isFailed, since } from './format.js'
import { moreText, untilText } from './similar-entries.js'
import { timelineIn, type TimelineLine } from './timeline.js'
import { stepsText, whyWaiting } from './waiting.js'
import { origin, type TestedWorld } from './world.js'
import { byCreation } from './world-names.js'

/** The most lines of a trace, unless somebody says otherwise: a page of a terminal. */
export const TRACE_LINES = 30
/** In a shorter trace, people see what failed where it happened. */
const SHORT = 10
const MOST_UPCOMING = 5
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

/** A world whose trace names it, and the worlds of its API keys. */
export interface TracedWorld extends TestedWorld {
  readonly worldName: string | null
  readonly worlds: Iterable<TracedWorld>
}

/**
 * Formats the timeline: what happened, in order of time, and what is scheduled. An arrow marks what an earlier
 * line caused: request → job event → delivery → receipt. Effects at the same moment follow their cause. The
 * head says how to reproduce it. Of a long trace, the worst that failed stands above all else.
 */
export function traceOf(
  world: TestedWorld,
  { job, most = TRACE_LINES, named = false, withoutFailures = false }: TraceOptions = {},
): string {
  const isWhole = most >= ALL_LINES
  const { past, next } = timelineIn(world, { job, shorten: !isWhole })
  const name = named && world.worldName ? ` in ${world.worldName}` : ''
  const start = past[0]?.item.at ?? world.engine.clock.now()
  const left = past.length - most
  const lineOf = ({ item, depth, more, until }: TimelineLine<JournalEntry>): TraceLine => {
    const text = arrow(depth) + moreText(item, more, formatEntry(item))
    const end = untilText(item.at, until, (at) => since(start, at))
    return { time: since(start, item.at), text: text + end }
  }
  const shown = past.slice(-most).map(lineOf)
  const showsFailures = past.length > SHORT && !withoutFailures
  const { failed, unshown } = showsFailures
    ? worstOf(past, { world, lineOf, most: isWhole ? undefined : mostFailed(most) })
    : { failed: [], unshown: 0 }
  // No report above a trace says what failed before.
  const old = failedBefore(world, job).map((text): TraceLine => ({ time: BEFORE, text }))
  const before = isWhole ? old : old.slice(-mostFailed(most))
  const hidden = unshown + old.length - before.length
  const scheduled = next.slice(0, isWhole ? most : MOST_UPCOMING).map(({ item, depth }) => {
    return { time: since(start, item.at), text: arrow(depth) + printable(item.text) }
  })
  const later = next.length - scheduled.length
  const width = Math.max(...[...before, ...shown, ...scheduled].map(({ time }) => time.length))
  const line = ({ time, text }: TraceLine): string => `  ${time.padStart(width)}  ${text}`
  const now = since(start, world.engine.clock.now())
  return [
    ...failedLines([...before, ...failed].map(line), hidden, name),
    ...(tellsRestore(world, job, past.length > 0) ? restoreLines(world) : []),
    past.length === 0
      ? `${nothingText(world, job, name)} (${origin(world)}).`
      : `What happened${name} (${origin(world)}${startText(start, job)}):`,
    ...(left > 0 ? [`  … ${counted(left, 'line')} before these`] : []),
    ...shown.map(line),
    ...(scheduled.length > 0 ? [`Now ${now}. Scheduled:`] : []),
    ...scheduled.map(line),
    ...(later > 0 ? [`  … ${later} more`] : []),
    ...waitingLines(world, job),
  ].join('\n')
}

/**
 * Formats the timelines of a world and of the worlds of its API keys, each with its name. Worlds in which
 * nothing happened are left out, and all but the ten that were used last.
 */
export function tracesOf(world: TracedWorld, options: Pick<TraceOptions, 'most'> = {}): string {
  const used = usedWorlds(world)
  const left = (options.most ?? 0) >= ALL_LINES ? 0 : Math.max(0, used.length - MOST_WORLDS)
  // In a trace of one world, the name would only say in which order the tests ran.
  const named = [...world.worlds].length > 0
  return [
    ...(left > 0 ? [`… ${counted(left, 'world')} before these`] : []),
    ...latestWorlds(used, used.length - left).map((each) => traceOf(each, { ...options, named })),
  ].join('\n\n')
}

/** The worlds in which something happened, or has failed before: the world itself, and those of its API keys. */
export function usedWorlds<World extends TracedWorld>(
  world: World & { readonly worlds: Iterable<World> },
): World[] {
  const all: World[] = [world, ...world.worlds]
  const used = all.filter((each) => {
    return each.journal.entries.length > 0 || failedBefore(each).length > 0
  })
  return used.length > 0 ? used : [world]
}

/** Returns the worlds that were used last, in the order of their creation. */
export function latestWorlds<World extends Pick<TracedWorld, 'worldName'>>(
  worlds: readonly World[],
  most: number,
): World[] {
  return worlds.slice(-most).sort((one, other) => byCreation(one.worldName, other.worldName))
}

function failedLines(lines: readonly string[], hidden: number, name: string): string[] {
  if (lines.length === 0) return []
  const more = hidden > 0 ? [`  … and ${counted(hidden, 'other failure')}`] : []
  return [`What failed${name}:`, ...lines, ...more]
}

/** How many failures stand above: ten, and in a long trace one for each hundred lines. */
function mostFailed(lines: number): number {
  return Math.max(10, Math.floor(lines / 100))
}

/** Whether to say that the journal begins with a restore. If nothing happened to a job since, that is said anyway. */
function tellsRestore(world: TestedWorld, job: Job | undefined, hasPast: boolean): boolean {
  return job ? job.isRestored && hasPast : wasRestored(world)
}

/** Says when the times of a job begin: not where those of the whole trace do. */
function startText(start: number, job: Job | undefined): string {
  if (!job) return ''
  return `, times ${start === job.createdAt ? 'since its submission' : `since ${toIso(start)}`}`
}

function waitingLines({ engine }: TestedWorld, job: Job | undefined): string[] {
  const waits = job && whyWaiting(engine, job)
  return waits === undefined ? [] : [`The job waits: ${waits}.`]
}

/** Says that nothing happened, or why the journal does not know what did. */
function nothingText(world: TestedWorld, job: Job | undefined, name: string): string {
  if (!job?.isRestored) return `Nothing happened${wasRestored(world) ? ' since' : ''}${name}`
  const state = `${job.progress.status}, ${stepsText(job)}`
  return `Resumed from a snapshot, whose journal is not in it: the job is ${state}`
}

interface Formatting {
  world: TestedWorld
  lineOf: (line: TimelineLine<JournalEntry>) => TraceLine
  /** Default: all that failed. */
  most: number | undefined
}

/** The worst that failed, in order of time, and how many other failures there are. Equal ones count once. */
function worstOf(
  past: readonly TimelineLine<JournalEntry>[],
  { world, lineOf, most }: Formatting,
): { failed: readonly TraceLine[]; unshown: number } {
  const undelivered = new Map(failedDeliveries(world).map(({ entry, text }) => [entry, text]))
  const failures = FAILURES.flatMap((isSuch) => {
    return past.filter(({ item }) => isSuch(item, undelivered))
  })
  const textOf = (entry: JournalEntry): string => undelivered.get(entry.id) ?? formatEntry(entry)
  const different = [...groupsOf(failures, ({ item }) => textOf(item)).values()]
  const places = new Map(past.map((line, place) => [line, place]))
  const worst = different.slice(0, most).sort(([one], [other]) => {
    return places.get(one!)! - places.get(other!)!
  })
  const failed = worst.map(([first, ...others]) => {
    const { time, text: happened } = lineOf({ ...first!, depth: 0 })
    // A delivery is described by how it ended, as in the report of `exec`.
    const text = printable(undelivered.get(first!.item.id) ?? happened)
    return { time, text: others.length === 0 ? text : `${text} (${others.length + 1} times)` }
  })
  return { failed, unshown: different.length - failed.length }
}

interface TraceLine {
  readonly time: string
  readonly text: string
}

/** @param undelivered - The failed deliveries, by their last entry. */
type IsSuch = (entry: JournalEntry, undelivered: ReadonlyMap<number, string>) => boolean

/**
 * What can fail, the worst first: a failed job, a lost answer, a failed delivery, a refusal, which a client may just
 * repeat.
 */
const FAILURES: readonly IsSuch[] = [
  (entry) => entry.kind === 'job' && entry.event === 'training_failed',
  (entry) => entry.kind === 'request' && entry.lost !== undefined,
  ({ id }, undelivered) => undelivered.has(id),
  (entry) => entry.kind === 'request' && entry.lost === undefined && isFailed(entry),
]

function arrow(depth: number): string {
  return depth === 0 ? '' : `${'  '.repeat(depth - 1)}→ `
}
