import type { RequestEntry } from './journal.js'
import { faultDefinition } from '../scenario/faults/kinds/index.js'
import type { FaultRule } from '../scenario/scenario.js'

/** Whether the client got an answer that says yes, and that it may have read. */
export function wasReceived(request: RequestEntry): boolean {
  return request.lost === undefined && mayBeRead(request)
}

/** What a fault does that leaves the first half of an answer. */
const FIRST_HALF: Extract<FaultRule, { fault: 'malformed' }>['form'] = 'truncated'

/** Whether a client may have read at least a part of the answer. */
export function mayBeRead({ status, faults }: RequestEntry): boolean {
  if (status === undefined || status >= 400) return false
  const unreadable = faults.filter(({ fault }) => faultDefinition(fault).damage === 'unreadable')
  return unreadable.every(({ effect }) => effect === FIRST_HALF)
}
