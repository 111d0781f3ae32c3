import {
  isChatOperation,
  jobCreations,
  jobReads,
  pageReads,
  type OperationName,
} from '../../../service/contract/operation-names.js'
import type { FaultKind } from '../../../service/scenario/faults/kinds/index.js'
import type { FaultInput } from '../../../service/scenario/scenario.js'
import { isBeside } from '../crash/armed-kill.js'

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** A kind of faults that are drawn. */
export interface DrawnFaultKind {
  readonly fault: DistributiveOmit<FaultInput, 'match' | 'calls' | 'during'>
  /** What a client sees: a status, `hang`, `disconnect`, `unreadable`, or the name of the fault. */
  readonly outcome: string
  /** Whether the client gets no usable answer. */
  readonly isFaulty: boolean
  /** Whether it hits only the first calls. */
  readonly isFirst?: boolean
  /** Whether it lasts for a time. */
  readonly isWindow?: boolean
}

const proxyPage = {
  headers: { 'content-type': 'text/html' },
  body: '<html><body><h1>400 Bad Request</h1></body></html>',
}

const refused = (status: number, more: object = {}) => ({
  fault: { fault: 'status' as const, status, ...more },
  outcome: String(status),
  isFaulty: true,
})

const lost = <Name extends 'drop' | 'hang'>(
  fault: Name,
  stage: 'before' | 'after' | 'mid_body',
) => ({
  fault: stage === 'before' ? { fault } : { fault, stage },
  outcome: fault === 'drop' ? 'disconnect' : 'hang',
  isFaulty: true,
})

const unreadable = (form: 'truncated' | 'not_json' | 'empty' | 'html') => ({
  fault: { fault: 'malformed' as const, form },
  outcome: 'unreadable',
  isFaulty: true,
})

const odd = <Fault extends DrawnFaultKind['fault']>(fault: Fault) => ({
  fault,
  outcome: fault.fault,
  isFaulty: false,
})

const late = odd({ fault: 'delay', delay: '3s' })

/** What any client repeats. */
const passing = [
  refused(429, { retry_after: '1s' }),
  refused(500),
  refused(502),
  refused(503),
  refused(504),
  lost('drop', 'before'),
  lost('drop', 'after'),
]

const anywhere = [
  ...passing,
  refused(408),
  refused(400, proxyPage),
  lost('drop', 'mid_body'),
  lost('hang', 'before'),
  lost('hang', 'mid_body'),
  unreadable('truncated'),
  unreadable('html'),
  unreadable('empty'),
  late,
]

/** What a service can do to calls that create something. */
const creating = [
  refused(504, { stage: 'after' }),
  refused(500, { stage: 'after' }),
  lost('hang', 'after'),
  { ...refused(402), isWindow: true },
]

const chatting = [
  odd({ fault: 'edit', set: { 'choices.*.message.content': '' } }),
  odd({ fault: 'edit', set: { 'choices.*.finish_reason': 'length' } }),
]

const paging = [
  odd({ fault: 'page_overlap' }),
  odd({ fault: 'page_restart' }),
  odd({ fault: 'page_repeat' }),
  odd({ fault: 'page_empty' }),
  odd({ fault: 'page_limit', limit: 1 }),
  odd({ fault: 'page_arrivals' }),
  { fault: { fault: 'page_stale' as const }, outcome: '404', isFaulty: true },
]

type DrawnFaults = typeof anywhere | typeof creating | typeof chatting | typeof paging

/** The kinds of faults that no list above has, and why. */
export const NOT_DRAWN: Readonly<
  Record<Exclude<FaultKind, DrawnFaults[number]['fault']['fault']>, string>
> = {
  content_type: 'Clients read the JSON, regardless of its type.',
  trickle: 'A slow answer shows the same as a late one.',
  rate_limit: 'How often a client calls decides what it meets. Scenarios have limits.',
  concurrency:
    'How many calls a client makes at once decides what it meets. Scenarios have limits.',
  job_limit: 'A job is over before its creation is answered, so no other one is unfinished.',
  fail_job: 'A client cannot succeed if its job fails. Scenarios have such jobs.',
}

/** Not for chats: a client takes 404 for a wrong name of a model. Scenarios serve a new checkpoint late. */
const notYetThere: DrawnFaultKind = { ...refused(404), isFirst: true }

/**
 * Calls about runs and artifacts. Their client is the SDK, and no code can repeat them for it: docs/how-to/clients.md says what
 * the SDK does not survive.
 */
const beside: readonly DrawnFaultKind[] = [...passing, late]

const createModel: OperationName = 'createModel'

/** The kinds of faults that may hit an operation. */
export function kindsFor(operation: string): readonly DrawnFaultKind[] {
  if (isBeside(operation)) return beside
  const kinds: DrawnFaultKind[] = [...anywhere]
  if (operation === createModel || jobCreations.includes(operation)) kinds.push(...creating)
  if (isChatOperation(operation)) kinds.push(...creating, ...chatting)
  if (pageReads.includes(operation)) kinds.push(...paging)
  if ([...jobCreations, ...jobReads].includes(operation)) kinds.push(notYetThere)
  return kinds
}
