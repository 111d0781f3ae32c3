import { TextReply } from '../../service/api/result.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { checkKey, eachCheck } from '../../service/scenario/check-names.js'
import type { Emulator } from '../emulator.js'
import { lineageOf } from '../lineage.js'
import { findingsIn, type Finding } from '../testing/client-checks.js'
import { formatEntry } from '../testing/format.js'
import { pendingIn, pendingText } from '../testing/pending.js'
import { judgedCalls } from '../testing/reach.js'
import { timelineIn } from '../testing/timeline.js'
import { linesOfWorld, linesOfWorlds, traceText } from '../testing/trace.js'
import { usedWorlds } from '../testing/used-worlds.js'
import { unnoticedIn } from '../testing/unnoticed.js'
import { jobCalled } from './called.js'
import { entryJson } from './journal-entry.js'
import { control } from './row.js'
import {
  clientCheckFindings,
  clientChecksQuery,
  type ClientCheckFinding,
} from './schemas/client-checks.js'
import { trace, traceQuery, type Entry } from './schemas/journal.js'
import { lineage, lineageQuery } from './schemas/lineage.js'
import { pending } from './schemas/pending.js'
import { timelineOperations } from './timeline.js'

const readTrace = control({
  id: 'readTrace',
  method: 'GET',
  path: '/_emulator/trace',
  summary: 'What happened and what is scheduled, as text; `?format=json` returns entries',
  refusals: [404],
  query: traceQuery,
  response: trace,
  contentTypes: ['application/json', 'text/plain'],
  run({ emulator: world, query: { job: id, format, lines: most } }) {
    const job = jobCalled(world, id)
    const lines = job ? linesOfWorld(world, { job, most }) : linesOfWorlds(world, { most })
    if (format === 'text') return new TextReply(`${traceText(lines)}\n`)
    const shown = job ? [world] : usedWorlds(world)
    return { entries: shown.flatMap((each) => traceEntries(each, job)), lines }
  },
})

/** The entries of a trace, with the words of its lines. */
function traceEntries(world: Emulator, job: Job | undefined): Entry[] {
  return timelineIn(world, { job, shorten: false }).past.map(({ item }) => {
    return { ...entryJson(item, world.worldName), text: formatEntry(item) }
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
    const { calls, not } = judgedCalls([world])
    return { findings: findingsIn(world, chosen).map(findingJson), calls, not_judged: not }
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
  run({ emulator: world, engine, query }) {
    const job = jobCalled(world, query.job)
    return lineageOf(engine, job ? { ...query, job: job.id } : query)
  },
})

export const evidenceOperations = [
  readTrace,
  ...timelineOperations,
  readPending,
  runClientChecks,
  readLineage,
]
