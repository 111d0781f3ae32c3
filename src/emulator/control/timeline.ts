import { printable } from '../../base/text/escape.js'
import { toIso, toIsoAfter } from '../../base/text/iso.js'
import type { Engine } from '../../service/engine/engine.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { redactionOf } from '../../service/engine/shown-entry.js'
import { conditionalIn, type Conditional } from '../testing/conditional.js'
import { isAcknowledged } from '../testing/deliveries.js'
import { formatEntry, subjectOf } from '../testing/format.js'
import { jobNamedIn } from '../testing/job-of-request.js'
import { timelineIn, upcomingIn, type Upcoming } from '../testing/timeline.js'
import { jobCalled } from './called.js'
import { control } from './row.js'
import {
  schedule,
  scheduleQuery,
  type ConditionalTask,
  type ScheduledTask,
} from './schemas/schedule.js'
import { timeline, timelineQuery, type TimelineItem } from './schemas/timeline.js'

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
    const job = jobCalled(world, id)
    const { past, next, leftOut } = timelineIn(world, { job, shorten: false, limit })
    const happened = past.map(({ item, depth }): TimelineItem => {
      const { id: entry, at, cause = null, kind } = item
      const ids = idsOfEntry(item, engine)
      const common = { id: entry, at: toIso(at), cause, depth, kind, text: formatEntry(item) }
      return { ...common, ...ids, ...factsOf(item), ...resultOf(item), scheduled: false }
    })
    const scheduled = next.map(({ item, depth }): TimelineItem => {
      const { at, cause, ...rest } = taskJson(item)
      const placed = { id: null, at, cause, depth }
      const about = item.kind === 'job' ? store.jobs.get(item.jobId ?? '') : undefined
      const subject = about && subjectOf({ modelName: about.model.name, jobId: about.id })
      const facts = { ...NO_FACTS, subject: subject ?? null, record_id: null }
      return { ...placed, ...rest, ...facts, ...NO_RESULT, scheduled: true }
    })
    return {
      now: toIso(clock.now()),
      world: world.worldName,
      entries: [...happened, ...scheduled],
      left_out: leftOut,
    }
  },
})

type Facts = Pick<TimelineItem, 'subject' | 'method' | 'path' | 'step' | 'steps' | 'metrics'>

const NO_FACTS: Facts = {
  subject: null,
  method: null,
  path: null,
  step: null,
  steps: null,
  metrics: null,
}

/** What the text of an entry says of a request or of a job, each for itself. */
function factsOf(entry: JournalEntry): Facts {
  const shown = (text: string): string => printable(redactionOf(entry)(text))
  if (entry.kind === 'request') {
    return { ...NO_FACTS, method: printable(entry.method), path: shown(entry.path) }
  }
  if (entry.kind !== 'job') return NO_FACTS
  const facts = { ...NO_FACTS, subject: printable(subjectOf(entry)) }
  const { step } = entry
  if (!step) return facts
  const metrics = shown(step.metrics.map((each) => each.join(' ')).join(', '))
  return { ...facts, step: step.number, steps: step.count, metrics: metrics || null }
}

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
      const values = entry.step?.metrics.map(([, value]) => String(value)) ?? []
      const outcome = values.find((value) => NOT_FINITE.has(value)) ?? null
      return { ...NO_RESULT, event, outcome, problem: outcome !== null }
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

const NOT_FINITE = new Set(['NaN', 'Infinity', '-Infinity'])
const BAD_VERDICTS = new Set(['invalid', 'missing'])

/** The ids of what an entry is about. */
function idsOfEntry(
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
  run({ emulator: world, engine, query: { job: id, limit } }) {
    const job = jobCalled(world, id)
    const tasks = upcomingIn(engine, job)
    return {
      now: toIso(engine.clock.now()),
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

export const timelineOperations = [readTimeline, readSchedule, readAgenda]
