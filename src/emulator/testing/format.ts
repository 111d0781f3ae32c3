import { printable } from '../../base/text/escape.js'
import type { JournalEntry, RequestEntry } from '../../service/engine/journal.js'
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
  if (entry.kind === 'job') return `${entry.modelName} ${entry.jobId.slice(0, 8)} ${entry.text}`
  return entry.text
}

/** Returns why a request was refused, and what the client may have meant. */
function why({ detail, hint }: RequestEntry): string[] {
  return [detail, hint].filter((part) => part !== undefined && part !== '') as string[]
}

function call(entry: RequestEntry): string {
  const { method, status, lost } = entry
  const target = requestTarget(entry)
  if (status === undefined) return `${method} ${target} ${LOST[lost ?? 'under-way']}`
  return `${method} ${target} ${status}${lost === undefined ? '' : ', stopped half-way'}`
}

/** What a request asks for: its path with its query, and the name that the call gives itself, such as `UpsertBucket`. */
export function requestTarget({ path, query, operation = '' }: RequestEntry): string {
  const [, name] = operation.split('.')
  const target = query === '' ? path : `${path}?${query}`
  return name === undefined ? target : `${target} ${name}`
}

const LOST = {
  disconnect: 'connection dropped',
  hang: 'left without an answer',
  'under-way': 'under way',
} as const

/** Whether a request was refused, or got no whole answer. */
export function isFailed({ status, lost }: RequestEntry): boolean {
  return lost !== undefined || (status !== undefined && status >= 400)
}

/** Formats the time between two moments: `+3.00s`. */
export function since(start: number, at: number): string {
  return `+${((at - start) / 1000).toFixed(2)}s`
}
