import { operationIdIn } from '../../contract/operation-names.js'
import { matchesGlob } from '../../../base/text/glob.js'
import { matchesAllConditions, matchesCondition } from '../../scenario/condition.js'
import type { FaultRule } from '../../scenario/scenario.js'
import type { FaultFacts } from '../../scenario/schema/fault-fields.js'

/** The facts of a request that rules match against, and whether it asks for what comes after an item of a list. */
export type FaultRequest = Omit<FaultFacts, 'call'> & { readonly hasCursor?: boolean }

const GLOBBED = ['key', 'user', 'model', 'project'] as const

/** Whether the rule of a fault matches a call of this number. */
export function matchesCall(
  match: FaultRule['match'],
  request: FaultRequest,
  call: number,
): boolean {
  if (typeof match === 'function') return match({ ...request, call })
  const { operation, host, method, judge, step, headers } = match
  return (
    isCallLike(request.operation, operation) &&
    isSame(request.host, host) &&
    isSame(request.method, method) &&
    GLOBBED.every((name) => isLike(request[name], match[name])) &&
    (headers === undefined || matchesAllConditions(request.headers, headers)) &&
    // Read only if the rule asks for them. To know whether it is for a judge takes a library.
    (step === undefined || matchesCondition(request.step, step)) &&
    (judge === undefined || judge === request.judge)
  )
}

function isSame(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted
}

/** A glob of operations matches the name of a call, such as `platformGraphql.Viewer`, or the id of its operation. */
export function isCallLike(call: string, globs: string | string[] | undefined): boolean {
  const id = operationIdIn(call)
  if (id === call || globs === undefined) return isLike(call, globs)
  return [globs].flat().some((glob) => {
    const [byName, byId] = [matchesGlob(call, glob), matchesGlob(id, glob)]
    return glob.startsWith('!') ? byName && byId : byName || byId
  })
}

function isLike(value: string | undefined, globs: string | string[] | undefined): boolean {
  return globs === undefined || (value !== undefined && matchesGlob(value, globs))
}
