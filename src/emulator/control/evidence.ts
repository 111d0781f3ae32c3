import {
  schedule,
  scheduleQuery,
  type ConditionalTask,
  type ScheduledTask,
} from './schemas/schedule.js'
import {
  clientCheckFindings,
  clientChecksQuery,
  type ClientCheckFinding,
} from './schemas/client-checks.js'
import { lineage, lineageQuery } from './schemas/lineage.js'
import { pending } from './schemas/pending.js'
import { timeline, timelineQuery, type TimelineItem } from './schemas/timeline.js'
import { trace, traceQuery, type Entry } from './schemas/journal.js'
import type { Emulator } from '../emulator.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { TextReply } from '../../service/api/operation.js'
import { checkKey, eachCheck } from '../../service/scenario/check-names.js'
import { findingsIn, type Finding } from '../testing/client-checks.js'
import { lineageOf } from '../lineage.js'
import { isAcknowledged } from '../testing/deliveries.js'
import { jobNamedIn } from '../testing/job-of-request.js'
import { pendingIn, pendingText } from '../testing/pending.js'
import { unnoticedIn } from '../testing/unnoticed.js'
import { formatEntry } from '../testing/format.js'
import { conditionalIn, type Conditional } from '../testing/conditional.js'
import { timelineIn, upcomingIn, type Upcoming } from '../testing/timeline.js'
import { traceOf, tracesOf, usedWorlds } from '../testing/trace.js'
import { toIso, toIsoAfter } from '../../base/text/iso.js'
import { entryJson } from './journal-entry.js'
import { control } from './row.js'

const readTrace = control({
  id: 'readTrace',
  method: 'GET',
  path: '/_emulator/trace',
  summary: 'What happened and what is scheduled, as text; `?format=json` returns entries',
  refusals: [404],
  query: traceQuery,
  response: trace,
  contentTypes: ['application/json', 'text/plain'],
  run({ emulator: world, engine: { store }, query: { job: id, format, lines: most } }) {
    const job = id === undefined ? undefined : store.jobs.get(id)
    if (format === 'text') {
      return new TextReply(`${job ? traceOf(world, { job, most }) : tracesOf(world, { most })}\n`)
    }
    const shown = job ? [world] : usedWorlds(world)
    return { entries: shown.flatMap((each) => traceEntries(each, job)) }
  },
})

/** The entries of a trace, with the words of its lines. */
function traceEntries(world: Emulator, job: Job | undefined): Entry[] {
  return timelineIn(world, { job, shorten: false }).past.map(({ item }) => {
    return { ...entryJson(item, world.worldName), text: formatEntry(item) }
  })
}

const readTimeline = control({
  id: 'readTimeline',
  method: 'GET',
  path: '/_emulator/timeline',
  summary: 'What happened and what is scheduled, in the order of the trace, as entries with causes',
  refusals: [404],
  query: timelineQuery,
  response: timeline,
  run({ emulator: world, engine, query: { job: id, limit } }) {
    const { store, clock } = engine
    const job = id === undefined ? undefined : store.jobs.get(id)
    const { past, next, leftOut } = timelineIn(world, { job, shorten: false, limit })
    const happened = past.map(({ item, depth }): TimelineItem => {
      const { id: entry, at, cause = null, kind } = item
      const ids = idsIn(item, engine)
      const common = { id: entry, at: toIso(at), cause, depth, kind, text: formatEntry(item) }
      return { ...common, ...ids, ...resultOf(item), scheduled: false }
    })
    const scheduled = next.map(({ item, depth }): TimelineItem => {
      const { at, cause, ...rest } = taskJson(item)
      const placed = { id: null, at, cause, depth }
      return { ...placed, ...rest, record_id: null, ...NO_RESULT, scheduled: true }
    })
    return {
      now: toIso(clock.now()),
      world: world.worldName,
      entries: [...happened, ...scheduled],
      left_out: leftOut,
    }
  },
})

type Result = Pick<TimelineItem, 'event' | 'attempt' | 'copy' | 'outcome' | 'problem'>

const NO_RESULT: Result = { event: null, attempt: null, outcome: null, problem: false }

/** What kind of event an entry is, and how it went. */
export function resultOf(entry: JournalEntry): Result {
  switch (entry.kind) {
    case 'request': {
      const { status, lost } = entry
      const outcome = lost ?? status?.toString() ?? null
      return { ...NO_RESULT, outcome, problem: lost !== undefined || (status ?? 0) >= 400 }
    }
    case 'job': {
      const { event } = entry
      if (event === 'training_failed')
        return { ...NO_RESULT, event, outcome: 'failed', problem: true }
      const value = event === 'gradient_step' ? NOT_FINITE.exec(entry.text)?.[1] : undefined
      return { ...NO_RESULT, event, outcome: value ?? null, problem: value !== undefined }
    }
    case 'delivery': {
      const { event, attempt, copy, status, error } = entry
      const failed = error === undefined ? null : 'no response'
      const outcome = status?.toString() ?? failed
      const problem = outcome !== null && !isAcknowledged(entry)
      return { event, attempt, ...(copy !== undefined && { copy }), outcome, problem }
    }
    case 'receipt':
      return { ...NO_RESULT, outcome: entry.verdict, problem: BAD_VERDICTS.has(entry.verdict) }
    case 'note':
      return NO_RESULT
  }
}

/** The loss or the reward in the text of a step. */
const NOT_FINITE = /, (?:loss|reward) (NaN|-?Infinity)/
const BAD_VERDICTS = new Set(['invalid', 'missing'])

/** The ids of what an entry is about. */
function idsIn(
  entry: JournalEntry,
  { store }: Engine,
): Pick<TimelineItem, 'job_id' | 'delivery_id' | 'record_id'> {
  return {
    job_id: jobIdIn(entry, store) ?? null,
    delivery_id: entry.kind === 'delivery' ? entry.deliveryId : null,
    record_id: entry.kind === 'receipt' ? entry.recordId : null,
  }
}

function jobIdIn(entry: JournalEntry, store: Engine['store']): string | undefined {
  if (entry.kind === 'job') return entry.jobId
  return entry.kind === 'request' ? jobNamedIn(entry, store)?.id : undefined
}

function taskJson({ at, kind, text, jobId, deliveryId, cause }: Upcoming): ScheduledTask {
  return {
    at: toIsoAfter(at),
    kind,
    text,
    job_id: jobId ?? null,
    delivery_id: deliveryId ?? null,
    cause: cause ?? null,
  }
}

const readSchedule = control({
  id: 'readSchedule',
  method: 'GET',
  path: '/_emulator/schedule',
  summary: 'The scheduled tasks with their times, and what comes with the next job, event or call',
  refusals: [404],
  query: scheduleQuery,
  response: schedule,
  run({ engine, query: { job: id, limit } }) {
    const { clock, store } = engine
    const job = id === undefined ? undefined : store.jobs.get(id)
    const tasks = upcomingIn(engine, job)
    return {
      now: toIso(clock.now()),
      total: tasks.length,
      tasks: tasks.slice(0, limit).map(taskJson),
      conditional: job ? [] : conditionalIn(engine).map(conditionalJson),
    }
  },
})

/** The name of 0.2. */
const readAgenda: Omit<typeof readSchedule, 'id' | 'path'> & {
  readonly id: 'readAgenda'
  readonly path: '/_emulator/agenda'
} = {
  ...readSchedule,
  id: 'readAgenda',
  path: '/_emulator/agenda',
  summary: 'Deprecated: use GET /_emulator/schedule',
}

function conditionalJson({ kind, when, text, faultId }: Conditional): ConditionalTask {
  return { kind, when, text, fault_id: faultId ?? null }
}

const readPending = control({
  id: 'readPending',
  method: 'GET',
  path: '/_emulator/pending',
  summary: 'Unfinished jobs, unused faults, open deliveries and unmatched requests',
  response: pending,
  run({ emulator: world }) {
    const found = pendingIn(world)
    return { pending: found, unnoticed: unnoticedIn(world), text: pendingText(found, world) }
  },
})

const runClientChecks = control({
  id: 'runClientChecks',
  method: 'GET',
  path: '/_emulator/client-checks',
  summary: 'The mistakes of clients that cost money or data with the real service',
  query: clientChecksQuery,
  response: clientCheckFindings,
  run({ emulator: world, query }) {
    const chosen = eachCheck((name) => query[checkKey(name)])
    return { findings: findingsIn(world, chosen).map(findingJson) }
  },
})

export function findingJson({ check, severity, text, requests }: Finding): ClientCheckFinding {
  return { check: checkKey(check), severity, text, requests: [...requests] }
}

const readLineage = control({
  id: 'readLineage',
  method: 'GET',
  path: '/_emulator/lineage',
  summary: 'What was sampled, and which jobs trained on it',
  refusals: [404],
  query: lineageQuery,
  response: lineage,
  run({ engine, query: { job, limit } }) {
    return lineageOf(engine, { limit, ...(job !== undefined && { job }) })
  },
})

export const evidenceOperations = [
  readTrace,
  readTimeline,
  readSchedule,
  readAgenda,
  readPending,
  runClientChecks,
  readLineage,
]
