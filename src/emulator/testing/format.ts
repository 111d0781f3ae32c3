import { printable } from '../../base/text/escape.js'
import type { JobEntry, JournalEntry, RequestEntry } from '../../service/engine/journal.js'
import { faultKinds } from '../../service/scenario/faults/kinds/index.js'
import { shownEntry } from '../../service/engine/shown-entry.js'

/** Formats a request without secrets: `request 2 (POST /v1/preview/training-jobs 200)`. */
export function formatRequest(request: RequestEntry): string {
  return printable(`request ${request.id} (${call(shownEntry(request))})`)
}

/** Formats an entry in one line without secrets. */
export function formatEntry(entry: JournalEntry): string {
  return printable(textOf(shownEntry(entry)))
}

function textOf(entry: JournalEntry): string {
  if (entry.kind === 'request') return [call(entry), ...why(entry), ...entry.effects].join('; ')
  if (entry.kind === 'job') return `${subjectOf(entry)} ${entry.text}`
  return entry.text
}

/** Names a job before the words of its event: `poet 3f2a91bc`. */
export function subjectOf({ modelName, jobId }: Pick<JobEntry, 'modelName' | 'jobId'>): string {
  return `${modelName} ${jobId.slice(0, 8)}`
}

/** Returns why a request was refused, and what the client may have meant. */
function why({ detail, hint }: RequestEntry): string[] {
  return [detail, hint].filter((part) => part !== undefined && part !== '') as string[]
}

function call(entry: RequestEntry): string {
  const got = [entry.status, lostText(entry)].filter((part) => part !== undefined)
  return `${entry.method} ${requestTarget(entry)} ${got.join(', ') || 'under way'}`
}

/** What a request asks for: its path with its query, and the name that the call gives itself, such as `UpsertBucket`. */
export function requestTarget({ path, query, operation = '' }: RequestEntry): string {
  const [, name] = operation.split('.')
  const target = query === '' ? path : `${path}?${query}`
  return name === undefined ? target : `${target} ${name}`
}

interface Answered {
  readonly status?: number | undefined
  readonly lost?: RequestEntry['lost'] | undefined
}

/** What a client sees of a call without a response, in words. */
const LOST_TEXT = { hang: 'hangs', disconnect: 'connection dropped' } as const

/** The same of a response of which it got a half. */
const HALF_TEXT = { hang: 'hangs half-way', disconnect: 'stopped half-way' } as const

/** What a client sees of a response that is lost, or half of it, in words. Undefined if it got it whole. */
export function lostText({ status, lost }: Answered): string | undefined {
  if (lost === undefined) return undefined
  return (status === undefined ? LOST_TEXT : HALF_TEXT)[lost]
}

/** What stands in the place of the status of a request. */
export function markOf({ status }: Answered): string {
  return status === undefined ? '---' : String(status)
}

/** Whether a request was refused, or got no whole answer. */
export function isFailed({ status, lost, faults }: RequestEntry): boolean {
  // A stream may fail after its status.
  const isLost =
    lost !== undefined || faults.some(({ fault }) => faultKinds[fault].damage === 'lost')
  return isLost || (status !== undefined && status >= 400)
}

/** How bad something is that failed: `warn` if a client may just repeat it, as it was refused. */
export type Severity = 'fail' | 'warn'

/** How bad it is what an entry tells of. Null if nothing failed. */
export function severityOf(entry: JournalEntry): Severity | null {
  switch (entry.kind) {
    case 'request':
      if (!isFailed(entry)) return null
      return entry.lost === undefined && Math.floor(entry.status! / 100) === 4 ? 'warn' : 'fail'
    case 'job':
      return entry.event === 'training_failed' ? 'fail' : null
    case 'delivery':
      return entry.error === undefined ? null : 'fail'
    case 'receipt':
    case 'note':
      return null
  }
}

/** Formats the time between two moments: `+3.00s`. */
export function since(start: number, at: number): string {
  return `+${((at - start) / 1000).toFixed(2)}s`
}

/** Marks what an earlier line caused. */
export function arrow(depth: number): string {
  return depth === 0 ? '' : `${'  '.repeat(depth - 1)}→ `
}
