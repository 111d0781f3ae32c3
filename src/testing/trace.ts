import type { Job } from '../engine/jobs/job.js'
import { since, formatEntry } from './format.js'
import { entriesOf, timelineOf, upcomingIn } from './timeline.js'
import { origin, type TestedWorld } from './world.js'

const MOST_LINES = 60
const MOST_UPCOMING = 5

interface TraceOptions {
  /** Shows only what caused this job, and what it caused. Default: everything. */
  job?: Job | undefined
  /** The most lines; the latest are shown. Default: 60. */
  most?: number
}

/**
 * Formats what happened, in order of time. An arrow marks what an earlier line caused: request → job
 * event → delivery → receipt. Effects at the same moment follow their cause. The first line says how to
 * reproduce it. The last lines say what is scheduled.
 */
export function traceOf(world: TestedWorld, { job, most = MOST_LINES }: TraceOptions = {}): string {
  const { engine, journal } = world
  const entries = job ? entriesOf(job, journal.entries) : journal.entries
  const start = entries[0]?.at
  if (start === undefined) return `Nothing happened (${origin(world)}).`
  const lines = timelineOf(entries, { shorten: true })
  const left = lines.length - most
  const upcoming = upcomingIn(engine, job)
  const later = upcoming.length - MOST_UPCOMING
  return [
    `What happened (${origin(world)}):`,
    ...(left > 0 ? [`  … ${left} lines before these`] : []),
    ...lines.slice(-most).map(({ item, depth, more }) => {
      const indent = depth === 0 ? '' : `${'  '.repeat(depth - 1)}→ `
      const similar = more === undefined ? '' : `… ${more} more like `
      return `  ${since(start, item.at)}  ${indent}${similar}${formatEntry(item)}`
    }),
    ...(upcoming.length > 0 ? [`Now ${since(start, engine.clock.now())}. Scheduled:`] : []),
    ...upcoming.slice(0, MOST_UPCOMING).map(({ at, text }) => `  ${since(start, at)}  ${text}`),
    ...(later > 0 ? [`  … ${later} more`] : []),
  ].join('\n')
}
