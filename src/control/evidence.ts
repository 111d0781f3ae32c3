import {
  clientCheckFindings,
  clientChecksQuery,
  pending,
  trace,
  traceQuery,
  type ClientCheckFinding,
} from './schemas.js'
import { apiErrors } from '../contract/errors.js'
import type { Job } from '../engine/jobs/job.js'
import type { JournalEntry } from '../engine/journal.js'
import { TextReply } from '../api/operation.js'
import { findingsIn, type Finding } from '../testing/client-checks.js'
import { pendingIn, pendingText } from '../testing/pending.js'
import { traceOf } from '../testing/trace.js'
import { entryJson } from './journal-entry.js'
import { control } from './row.js'

const readTrace = control({
  id: 'readTrace',
  method: 'GET',
  path: '/_emulator/trace',
  summary: 'What happened, in order of time, as text; `?format=json` returns entries',
  refusals: [404],
  query: traceQuery,
  response: trace,
  contentTypes: ['application/json', 'text/plain'],
  run({ emulator: world, engine: { journal, store }, query: { job: id, format } }) {
    const job = id === undefined ? undefined : store.jobs.get(id)
    if (id !== undefined && !job) return apiErrors.trainingJobNotFound()
    const entries = job ? entriesOf(job, journal.entries) : journal.entries
    if (format === 'json')
      return { entries: entries.map((each) => entryJson(each, world.worldName)) }
    return new TextReply(`${traceOf(world, { entries })}\n`)
  },
})

/** The entries that caused a job, that read it, and that either of them caused. */
function entriesOf({ id, cause }: Job, entries: readonly JournalEntry[]): JournalEntry[] {
  const related = new Set<number | undefined>()
  return entries.filter((entry) => {
    const isAbout =
      entry.id === cause ||
      (entry.kind === 'job' && entry.jobId === id) ||
      (entry.kind === 'request' && entry.jobView?.jobId === id) ||
      (entry.cause !== undefined && related.has(entry.cause))
    if (isAbout) related.add(entry.id)
    return isAbout
  })
}

const readPending = control({
  id: 'readPending',
  method: 'GET',
  path: '/_emulator/pending',
  summary: 'Unfinished jobs, unused faults, open deliveries and unmatched requests',
  response: pending,
  run({ emulator: world }) {
    const found = pendingIn(world)
    return { pending: found, text: pendingText(found, world) }
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
    const found = findingsIn(world, {
      duplicateJobs: query.duplicate_jobs,
      backwardCursors: query.backward_cursors,
      pollsPastTheEnd: query.polls_past_the_end,
      deliveries: query.deliveries,
    })
    return { findings: found.map(findingJson) }
  },
})

export function findingJson({ check, text, requests }: Finding): ClientCheckFinding {
  return { check: NAMES[check], text, requests: [...requests] }
}

/** The names of the checks in this API. */
const NAMES: Readonly<Record<Finding['check'], ClientCheckFinding['check']>> = {
  duplicateJobs: 'duplicate_jobs',
  backwardCursors: 'backward_cursors',
  pollsPastTheEnd: 'polls_past_the_end',
  deliveries: 'deliveries',
}

export const evidenceOperations = [readTrace, readPending, runClientChecks]
