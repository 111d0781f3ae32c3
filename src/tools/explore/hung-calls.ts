import { counted } from '../../base/text/counted.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { outcomeOf, type OperationEntry } from './observed-calls.js'

interface HungCalls {
  readonly calls: readonly OperationEntry[]
  /** How many of them the code still waits for. */
  readonly open: number
  /** How many of them the code gave up on. */
  readonly left: number
  /** Undefined for several operations: nothing tells which of them the code still waits for. */
  readonly operation: string | undefined
}

/** The calls that hung. The code still waits for as many as `open` says. */
export function hungCallsIn(requests: readonly OperationEntry[], open: number): HungCalls {
  const calls = requests.filter(({ lost }) => lost === 'hang')
  const [operation, ...others] = new Set(calls.map((call) => call.operation))
  return {
    calls,
    open,
    left: calls.length - open,
    operation: others.length === 0 ? operation : undefined,
  }
}

/** The operations of calls that got no answer, or half of one, if nothing came after them, or if they still hang. */
export function unanswered(requests: readonly OperationEntry[], hung: HungCalls): string[] {
  const waiting = new Set<string>()
  for (const { operation, lost, status } of requests) {
    if (lost === 'hang' || (lost === undefined && status === undefined)) waiting.add(operation)
    else waiting.delete(operation)
  }
  // If one hangs, others beside it were answered.
  if (waiting.size === 0 && hung.open > 0 && hung.operation) return [hung.operation]
  return [...waiting]
}

/** Says that the code gave up on calls without an answer, if one was answered after that. */
export function givenUpCalls(
  requests: readonly OperationEntry[],
  { calls, open, left, operation }: HungCalls,
): string | undefined {
  if (left <= 0 || (open > 0 && operation === undefined)) return undefined
  const rest = requests.slice(requests.indexOf(calls[0]!))
  const isAnswered = rest.some((request) => {
    return request.status !== undefined && outcomeOf(request) === undefined
  })
  if (!isAnswered) return undefined
  return `${counted(calls.length, 'call')} hung. The code gave up on ${left} and went on`
}

/** Says the same of jobs that did not end: it polled one, and after that it created another. */
export function givenUpJobs(
  requests: readonly OperationEntry[],
  jobs: readonly Job[],
): string | undefined {
  const open = jobs.filter(({ over }) => !over)
  const left = open.filter(({ id }) => {
    const last = requests.findLast(({ jobView }) => jobView?.jobId === id)
    return last !== undefined && jobs.some(({ cause = 0 }) => cause > last.id)
  })
  if (left.length === 0) return undefined
  return `${counted(open.length, 'job')} did not end. The code gave up on ${left.length} and went on`
}
