import { apiErrors, type ApiError } from '../contract/errors.js'
import type { Engine } from '../engine/engine.js'
import { globPattern } from '../text/match.js'
import { matchesRequest } from '../testing/request-pattern.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Operation } from '../api/operation.js'
import type { RequestPattern } from '../testing/request-pattern.js'
import { unknownWord } from './unknown-name.js'

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
  const { job, after = 0 } = which
  const pattern = meantBy(which)
  const creation = job === undefined ? undefined : store.jobs.get(job)?.cause
  return journal.entries.filter((entry): entry is RequestEntry => {
    if (entry.kind !== 'request' || entry.id <= after) return false
    if (!matchesRequest(pattern, entry)) return false
    return job === undefined || entry.id === creation || entry.jobView?.jobId === job
  })
}

/** The same for whoever compares patterns; what it has no word for is left out. */
export function meantBy({ operation, method, path, status }: Which): RequestPattern {
  return {
    ...(operation !== undefined && { operation }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path: globPattern(path) }),
    ...(status !== undefined && { status }),
  }
}

/** Refuses names that no request can ever match, which are most likely typos. */
export function whichProblem(
  { operation, method, job }: Which,
  { engine, operations }: { engine: Engine; operations: readonly Operation[] },
): ApiError | undefined {
  const ids = operations.filter(({ host }) => host !== 'control').map(({ id }) => id)
  if (operation !== undefined && !ids.includes(operation)) {
    return unknownWord('operation', operation, ids)
  }
  if (method !== undefined && !METHODS.includes(method.toUpperCase())) {
    return unknownWord('method', method, METHODS)
  }
  return job === undefined ? undefined : jobProblem(engine, job)
}

/** Methods that a client may try, whether or not an operation has them. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

/** Refuses the id of a job that never was; the jobs of a deleted model are still known. */
export function jobProblem({ store }: Engine, id: string): ApiError | undefined {
  return store.jobs.has(id) ? undefined : apiErrors.trainingJobNotFound()
}
