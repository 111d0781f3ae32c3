import { groupsOf } from '../../base/text/counted.js'
import type { TaskFacts } from '../../base/clock/timer-queue.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { isAboutJob } from './job-of-request.js'
import { foldSimilar } from './similar-entries.js'
import type { TestedWorld } from './world.js'

/** A scheduled task of the clock, as people see it. */
export interface Upcoming {
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly at: number
  readonly kind: TaskFacts['kind']
  readonly text: string
  readonly jobId: string | undefined
  readonly deliveryId: string | undefined
  readonly cause: number | undefined
}

/** A line of the timeline: something that happened, or something that is scheduled. */
export interface TimelineLine<Item> {
  readonly item: Item
  /** How many causes above it are on the timeline. */
  readonly depth: number
  /** How many similar entries this one stands for, if they are left out. */
  readonly more?: number | undefined
  /** When the last of those happened, in milliseconds since the epoch. */
  readonly until?: number | undefined
}

/** Returns what is scheduled, in the order in which it happens. `job` selects what is about one job. */
export function upcomingIn({ clock }: Pick<Engine, 'clock'>, job?: Job): Upcoming[] {
  const tasks = clock.scheduled.map(({ at, facts }) => ({
    at,
    kind: facts?.kind ?? ('task' as const),
    text: facts?.describe() ?? 'a scheduled task',
    jobId: facts?.jobId,
    deliveryId: facts?.deliveryId,
    cause: facts?.cause,
  }))
  return job ? tasks.filter(({ jobId }) => jobId === job.id) : tasks
}

/** What happened and what is scheduled, in the order in which people and programs see it. */
export interface Timeline {
  readonly past: readonly TimelineLine<JournalEntry>[]
  readonly next: readonly TimelineLine<Upcoming>[]
  /** How many entries `limit` left out. */
  readonly leftOut: number
}

interface TimelineOptions {
  /** Selects what caused this job, what names it, and what either of them caused. */
  job?: Job | undefined
  /** Whether long runs of similar entries become one line. */
  shorten: boolean
  /** The most entries that happened, and the most that are scheduled. Default: all. */
  limit?: number
}

/**
 * Orders entries by time. At the same moment, effects follow their causes: request → job event → delivery →
 * receipt. What is scheduled comes last, with the depth of what caused it.
 */
export function timelineIn(
  { engine, journal }: Pick<TestedWorld, 'engine' | 'journal'>,
  { job, shorten, limit = Infinity }: TimelineOptions,
): Timeline {
  const all = job ? entriesOf(job, journal.entries, engine) : journal.entries
  const entries = latestOf(all, limit)
  const depths = depthsOf(entries)
  // The sort is stable: at the same moment, effects stay below their causes.
  const past = causalLines(entries, shorten).sort(({ item: one }, { item: other }) => {
    return one.at - other.at
  })
  const scheduled = upcomingIn(engine, job).slice(0, limit)
  const next = scheduled.map((item) => {
    const above = item.cause === undefined ? undefined : depths.get(item.cause)
    return { item, depth: above === undefined ? 0 : above + 1 }
  })
  return { past, next, leftOut: all.length - entries.length }
}

function depthsOf(entries: readonly JournalEntry[]): Map<number, number> {
  const depths = new Map<number, number>()
  for (const { id, cause } of entries) {
    const above = cause === undefined ? undefined : depths.get(cause)
    depths.set(id, above === undefined ? 0 : above + 1)
  }
  return depths
}

/** The latest entries. Old gradient steps are left out first, so that what caused a long job stays. */
function latestOf(entries: readonly JournalEntry[], limit: number): readonly JournalEntry[] {
  let surplus = entries.length - limit
  if (surplus <= 0) return entries
  const causes = new Set(entries.map(({ cause }) => cause))
  const rest = entries.filter((entry) => {
    const isStep = entry.kind === 'job' && entry.event === 'gradient_step'
    return surplus <= 0 || !isStep || causes.has(entry.id) || surplus-- <= 0
  })
  return rest.slice(-limit)
}

/** Returns the entries that caused a job, that name it, and that either of them caused. */
function entriesOf(
  job: Job,
  entries: readonly JournalEntry[],
  { store }: Pick<Engine, 'store'>,
): JournalEntry[] {
  const related = new Set<number | undefined>()
  return entries.filter((entry) => {
    const isAbout =
      entry.id === job.cause ||
      (entry.kind === 'job' && entry.jobId === job.id) ||
      (entry.kind === 'request' && isAboutJob(entry, job, store)) ||
      (entry.cause !== undefined && related.has(entry.cause))
    if (isAbout) related.add(entry.id)
    return isAbout
  })
}

/** The lines of entries, each with its effects below it. */
function causalLines(
  entries: readonly JournalEntry[],
  shorten: boolean,
): TimelineLine<JournalEntry>[] {
  const ids = new Set<number | undefined>(entries.map(({ id }) => id))
  const effects = groupsOf(entries, ({ cause }) => (ids.has(cause) ? cause : undefined))
  const hasEffects = ({ id }: JournalEntry): boolean => effects.has(id)
  const linesBelow = (cause: number | undefined, depth: number): TimelineLine<JournalEntry>[] => {
    const siblings = effects.get(cause) ?? []
    const shown = shorten
      ? foldSimilar(siblings, hasEffects)
      : siblings.map((entry) => ({ entry, more: undefined, until: undefined }))
    return shown.flatMap(({ entry, more, until }) => [
      { item: entry, depth, more, until },
      ...linesBelow(entry.id, depth + 1),
    ])
  }
  return linesBelow(undefined, 0)
}
