import type { RequestEntry } from './journal.js'
import { faultDefinition } from '../scenario/faults/kinds/index.js'

/** Whether the client got an answer that says yes, and that it may have read. */
export function wasReceived(request: RequestEntry): boolean {
  return request.lost === undefined && mayBeRead(request)
}

/** Whether a client may have read at least a part of the answer. */
export function mayBeRead({ status, faults, effects }: RequestEntry): boolean {
  if (status === undefined || status >= 400) return false
  const unreadable = faults.filter(({ fault }) => faultDefinition(fault).damage === 'unreadable')
  return unreadable.every(({ name }) => effects.includes(`${name}: truncated`))
}
