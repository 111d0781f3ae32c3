import type { JournalEntry, RequestEntry } from '../engine/journal.js'

/** `request 2 (POST /v1/preview/training-jobs 200)`. */
export function toldRequest(request: RequestEntry): string {
  return `request ${request.id} (${call(request)})`
}

/** An entry in one line. */
export function toldEntry(entry: JournalEntry): string {
  if (entry.kind === 'request') return [call(entry), ...why(entry), ...entry.effects].join('; ')
  if (entry.kind === 'job') return `${entry.modelName} ${entry.jobId.slice(0, 8)} ${entry.text}`
  return entry.text
}

/** Why it was refused, and what the client may have meant. */
function why({ detail, hint }: RequestEntry): string[] {
  return [detail, hint].filter((part) => part !== undefined && part !== '') as string[]
}

function call({ method, path, query, status, lost }: RequestEntry): string {
  const target = query === '' ? path : `${path}?${query}`
  return `${method} ${target} ${status ?? LOST[lost ?? 'under-way']}`
}

const LOST = {
  disconnect: 'connection dropped',
  hang: 'left without an answer',
  'under-way': 'under way',
} as const

/** A moment since another: `+3.00s`. */
export function since(start: number, at: number): string {
  return `+${((at - start) / 1000).toFixed(2)}s`
}
