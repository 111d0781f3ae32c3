import { isOfSdk, operationIdIn, operationNames } from '../../service/contract/operation-names.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { Emulator } from '../../emulator/emulator.js'
import { isCutByKill } from './crash/armed-kill.js'
import type { Problem } from './exploration.js'

/** A call of an operation of the emulated API. */
export type OperationEntry = RequestEntry & { readonly operation: string }

const names: ReadonlySet<string> = new Set(operationNames)

/** The calls that the code made. Those of a program that was killed then are not among them. */
export function observedCalls({ entries }: Emulator['journal']): OperationEntry[] {
  return entries.filter((entry): entry is OperationEntry => {
    return entry.kind === 'request' && isEmulated(entry) && !isCutByKill(entry)
  })
}

function isEmulated({ operation }: RequestEntry): boolean {
  return operation !== undefined && names.has(operationIdIn(operation))
}

/** How a call went wrong. Undefined if the client got what it asked for. */
export function outcomeOf({ status, lost, faults }: RequestEntry): string | undefined {
  if (lost !== undefined) return lost
  if (status === undefined) return undefined
  if (status >= 400) return String(status)
  const isUnreadable = faults.some(({ fault }) => faultDefinition(fault).damage === 'unreadable')
  return isUnreadable ? 'unreadable' : undefined
}

/**
 * The last problem. One of an operation that did not succeed later comes first, and one of the SDK of runs last: it works
 * beside the program, and raises none of its errors.
 */
export function problemIn(requests: readonly OperationEntry[]): Problem | undefined {
  const open = new Map<string, Problem>()
  const times = new Map<string, number>()
  let last: Problem | undefined
  for (const request of requests) {
    const { operation } = request
    const outcome = outcomeOf(request)
    if (outcome === undefined) {
      // It has no answer yet, so it did not succeed.
      if (request.status !== undefined) open.delete(operation)
      continue
    }
    times.set(operation, (times.get(operation) ?? 0) + 1)
    last = { operation, outcome, times: times.get(operation)!, recovered: true }
    open.delete(operation)
    open.set(operation, { ...last, recovered: false })
  }
  const left = [...open.values()]
  return left.findLast(({ operation }) => !isOfSdk(operation)) ?? left.at(-1) ?? last
}
