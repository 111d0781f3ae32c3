import { ApiError } from '../../contract/errors.js'
import type { Engine } from '../../engine/engine.js'
import { fitsGlob } from '../../engine/glob.js'
import type { RequestEntry } from '../../engine/journal.js'
import { nearest } from '../../engine/nearest.js'
import type { Operation } from '../operation.js'
import type { MeantRequest } from './controlled.js'

/** Which requests are meant: those that fit in all that is named. */
export interface Which {
  operation?: string
  method?: string
  /** A glob. */
  path?: string
  status?: number
  /** The id of a job. */
  job?: string
  /** The id of an entry that they follow. */
  after?: number
}

/** Oldest first. */
export function requestsWhere({ journal, store }: Engine, which: Which): RequestEntry[] {
  const { operation, method, path, status, job, after = 0 } = which
  const creation = job === undefined ? undefined : store.jobs.get(job)?.cause
  return journal.entries.filter((entry): entry is RequestEntry => {
    if (entry.kind !== 'request' || entry.id <= after) return false
    if (operation !== undefined && entry.operation !== operation) return false
    if (method !== undefined && entry.method !== method.toUpperCase()) return false
    if (status !== undefined && entry.status !== status) return false
    if (path !== undefined && !fitsGlob(entry.path, path)) return false
    return job === undefined || entry.id === creation || entry.look?.jobId === job
  })
}

/** The same for whoever compares patterns; what it has no word for is left out. */
export function meantBy({ operation, method, path, status }: Which): MeantRequest {
  return {
    ...(operation !== undefined && { operation }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path: pathMatcher(path) }),
    ...(status !== undefined && { status }),
  }
}

/** As a matcher of a test runner, which is what patterns are compared by. */
function pathMatcher(glob: string): NonNullable<MeantRequest['path']> {
  return {
    asymmetricMatch: (path) => typeof path === 'string' && fitsGlob(path, glob),
    toAsymmetricMatcher: () => JSON.stringify(glob),
  }
}

/** Who waits for an operation that there is none of would wait in vain. */
export function operationProblem(
  { operation }: Which,
  operations: readonly Operation[],
): ApiError | undefined {
  const ids = operations.filter(({ host }) => host !== 'control').map(({ id }) => id)
  if (operation === undefined || ids.includes(operation)) return undefined
  const meant = nearest(operation, ids)
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return new ApiError(400, `operation: there is no "${operation}".${hint} See ${ids.join(', ')}.`)
}
