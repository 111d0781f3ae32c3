import { pending, trace, traceQuery } from './schemas.js'
import { apiErrors } from '../contract/errors.js'
import type { Job } from '../engine/jobs/job.js'
import type { JournalEntry } from '../engine/journal.js'
import { TextReply } from '../api/operation.js'
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
    if (format === 'json') return { entries: entries.map(entryJson) }
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

export const evidenceOperations = [readTrace, readPending]
