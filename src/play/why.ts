import type { PlayCall } from './report.js'

/** Why a call went wrong, in words: `503: Service Unavailable`. */
export function whyOf({
  result,
  status,
  message,
}: Pick<PlayCall, 'result' | 'status' | 'message'>): string {
  if (result === 'lost') return 'the connection was lost'
  if (result === 'timeout') return 'no answer came in time'
  if (result === 'unreadable') return `the answer (${status}) is not JSON`
  return message === undefined ? String(status) : `${status}: ${message}`
}
