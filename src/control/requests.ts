import {
  requestCount,
  requestCountFilter,
  requestFilter,
  requests as requestList,
  requestsSeen,
  requestWait,
} from './schemas.js'
import { ApiError } from '../contract/errors.js'
import { parseDuration } from '../text/duration.js'
import { cancelTimer, startTimer } from '../clock/wall.js'
import type { Emulator } from '../emulator/emulator.js'
import { matchesRequest, type RequestPattern } from '../testing/request-pattern.js'
import { globPattern } from '../text/match.js'
import { requestJson } from './journal-entry.js'
import { control } from './row.js'
import type { Engine } from '../engine/engine.js'
import type { RequestEntry } from '../engine/journal.js'
import type { Operation } from '../api/operation.js'
import { jobProblem, unknownWord } from './unknown-names.js'

const LONGEST_WAIT = 300_000

const listRequests = control({
  id: 'listRequests',
  method: 'GET',
  path: '/_emulator/requests',
  summary: 'The latest requests, or with `after` the next ones; newest last',
  query: requestFilter,
  response: requestList,
  run({ engine, query: { limit, ...which }, operations }) {
    const wrong = whichProblem(which, { engine, operations })
    if (wrong) return wrong
    const found = requestsWhere(engine, which)
    const shown = which.after === undefined ? found.slice(-limit) : found.slice(0, limit)
    const next = shown.at(-1)?.id ?? which.after ?? 0
    return { requests: shown.map(requestJson), next }
  },
})

const countRequests = control({
  id: 'countRequests',
  method: 'GET',
  path: '/_emulator/requests/count',
  summary: 'The number of matching requests',
  query: requestCountFilter,
  response: requestCount,
  run({ engine, query, operations }) {
    const wrong = whichProblem(query, { engine, operations })
    return wrong ?? { count: requestsWhere(engine, query).length }
  },
})

const awaitRequests = control({
  id: 'awaitRequests',
  method: 'GET',
  path: '/_emulator/requests/wait',
  summary: 'Waits for `count` matching requests; after `timeout`, 408 with the closest match',
  query: requestWait,
  response: requestsSeen,
  async run({ emulator: world, engine, query: { count, timeout, ...which }, operations }) {
    const wrong = whichProblem(which, { engine, operations })
    if (wrong) return wrong
    const limit = parseDuration(timeout)
    if (limit === undefined || limit > LONGEST_WAIT) {
      return new ApiError(
        400,
        `timeout: "${timeout}" is not a duration of at most 5m, such as 10s.`,
      )
    }
    const enough = await seen(world, { which, count, limit })
    if (enough) {
      return { requests: requestsWhere(world.engine, which).slice(0, count).map(requestJson) }
    }
    const made = requestsWhere(world.engine, which).length
    const nearest = world.requests.nearestTo(meantBy(which))
    return new ApiError(
      408,
      `Within ${timeout}, ${made} of ${count} requests arrived that match ${nearest}`,
    )
  },
})

interface Awaited {
  which: Which
  count: number
  /** Milliseconds of real time. */
  limit: number
}

/** Resolves to whether enough requests arrived in time. The end of the emulator ends the wait. */
function seen(world: Emulator, { which, count, limit }: Awaited): Promise<boolean> {
  const enough = (): boolean => requestsWhere(world.engine, which).length >= count
  if (enough()) return Promise.resolve(true)
  const { stopping } = world
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe()
      cancelTimer(timer)
      stopping.removeEventListener('abort', end)
      resolve(enough())
    }
    // The journal outlives a reset.
    const unsubscribe = world.engine.journal.subscribe(({ kind }) => {
      if (kind === 'request' && enough()) end()
    })
    const timer = startTimer(limit, end)
    stopping.addEventListener('abort', end)
  })
}

/** Which requests to select: those that match all given fields. */
interface Which {
  operation?: string
  method?: string
  /** A glob. */
  path?: string
  status?: number
  /** The id of a job. */
  job?: string
  /** The id of a journal entry. Selects the requests after it. */
  after?: number
}

/** The selected requests, oldest first. */
function requestsWhere({ journal, store }: Engine, which: Which): RequestEntry[] {
  const { job, after = 0 } = which
  const pattern = meantBy(which)
  const creation = job === undefined ? undefined : store.jobs.get(job)?.cause
  return journal.entries.filter((entry): entry is RequestEntry => {
    if (entry.kind !== 'request' || entry.id <= after) return false
    if (!matchesRequest(pattern, entry)) return false
    return job === undefined || entry.id === creation || entry.jobView?.jobId === job
  })
}

/** The same as a pattern of the request matcher, as far as that has the fields. */
function meantBy({ operation, method, path, status }: Which): RequestPattern {
  return {
    ...(operation !== undefined && { operation }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path: globPattern(path) }),
    ...(status !== undefined && { status }),
  }
}

/** Refuses names that no request can match: they are probably typos. */
function whichProblem(
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

/** The methods that a client may try, including those that no operation has. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

export const requestOperations = [listRequests, countRequests, awaitRequests]
