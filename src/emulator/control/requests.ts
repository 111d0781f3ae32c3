import {
  LONGEST_WAIT,
  requestCount,
  requestCountFilter,
  requestDetail,
  requestFilter,
  requestPath,
  requests as requestList,
  requestsSeen,
  requestWait,
} from './schemas/requests.js'
import { ApiError } from '../../service/contract/errors.js'
import { failingWith } from '../../base/text/background-errors.js'
import { parseDuration, roundDuration } from '../../base/text/duration.js'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import type { Emulator } from '../emulator.js'
import { isAboutJob } from '../testing/job-of-request.js'
import { matchesRequest, type RequestPattern } from '../testing/request-pattern.js'
import { globPattern } from '../../base/text/match.js'
import { requestJson } from './journal-entry.js'
import { RequestDetails } from './request-detail.js'
import { control } from './row.js'
import type { Engine } from '../../service/engine/engine.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import type { Operation } from '../../service/api/operation.js'
import { unknownWord } from './unknown-names.js'

const listRequests = control({
  id: 'listRequests',
  method: 'GET',
  path: '/_emulator/requests',
  summary: 'The latest requests, or with `after` the next ones; newest last',
  query: requestFilter,
  response: requestList,
  run({ emulator: world, engine, query: { limit, ...which }, operations }) {
    const wrong = filterProblem(which, operations)
    if (wrong) return wrong
    const found = matchingRequests(engine, which)
    const shown = which.after === undefined ? found.slice(-limit) : found.slice(0, limit)
    const next = shown.at(-1)?.id ?? which.after ?? 0
    return { requests: shown.map((each) => requestJson(each, world.worldName)), next }
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
    const wrong = filterProblem(query, operations)
    return wrong ?? { count: matchingRequests(engine, query).length }
  },
})

const awaitRequests = control({
  id: 'awaitRequests',
  method: 'GET',
  path: '/_emulator/requests/wait',
  summary: 'Waits for `count` matching requests; after `timeout`, 408 with the closest match',
  refusals: [408],
  query: requestWait,
  response: requestsSeen,
  async run({ emulator: world, query: { count, timeout, ...which }, operations }) {
    const wrong = filterProblem(which, operations)
    if (wrong) return wrong
    const limit = parseDuration(timeout)
    if (limit === undefined || limit > LONGEST_WAIT) {
      return new ApiError(
        400,
        `timeout: "${timeout}" is not a duration of at most ${roundDuration(LONGEST_WAIT)}, such as 10s.`,
      )
    }
    const found = await awaitMatching(world, { which, count, limit })
    if (found.length >= count) {
      return { requests: found.slice(0, count).map((each) => requestJson(each, world.worldName)) }
    }
    const nearest = world.requests.nearestTo(patternFor(which))
    return new ApiError(
      408,
      `Within ${timeout}, ${found.length} of ${count} requests arrived that match ${nearest}`,
    )
  },
})

interface WantedRequests {
  which: RequestFilter
  count: number
  /** Milliseconds of real time. */
  limit: number
}

/** Resolves to the matching requests when there are enough, or when the time or the emulator ends. */
function awaitMatching(
  world: Emulator,
  { which, count, limit }: WantedRequests,
): Promise<RequestEntry[]> {
  const matching = new MatchingRequests(world, which)
  if (matching.update() >= count) return Promise.resolve(matching.found)
  const { stopping } = world
  return new Promise((resolve, reject) => {
    const end = failingWith(reject, () => {
      unsubscribe()
      cancelTimer(timer)
      stopping.removeEventListener('abort', end)
      resolve(matching.found)
    })
    // The journal outlives a reset.
    const unsubscribe = world.journal.subscribe((entry) => {
      if (entry.kind === 'request' && matching.update(entry) >= count) end()
    })
    const timer = startTimer(limit, end)
    stopping.addEventListener('abort', end)
  })
}

/** The matching requests of a world as they arrive. After a reset, those of the new world. */
class MatchingRequests {
  readonly #world: Emulator
  readonly #which: RequestFilter
  #engine: Engine
  #matches: (entry: RequestEntry) => boolean
  /** The id of the latest entry that was compared. */
  #last = 0
  #found: RequestEntry[] = []
  /** Those that did not match before they were answered. */
  readonly #unanswered = new Set<RequestEntry>()

  constructor(world: Emulator, which: RequestFilter) {
    this.#world = world
    this.#which = which
    this.#engine = world.engine
    this.#matches = selects(this.#engine, which)
  }

  /** Oldest first. */
  get found(): RequestEntry[] {
    return this.#found.toSorted((one, other) => one.id - other.id)
  }

  /** Compares the requests that are new, and the one that was answered. Returns how many match. */
  update(answered?: RequestEntry): number {
    if (this.#engine !== this.#world.engine) this.#startOver()
    if (answered && this.#unanswered.delete(answered)) this.#compare(answered)
    for (const entry of this.#engine.journal.entriesAfter(this.#last)) {
      this.#last = entry.id
      if (entry.kind === 'request') this.#compare(entry)
    }
    return this.#found.length
  }

  #compare(entry: RequestEntry): void {
    if (this.#matches(entry)) this.#found.push(entry)
    else if (entry.took === undefined) this.#unanswered.add(entry)
  }

  #startOver(): void {
    this.#engine = this.#world.engine
    this.#matches = selects(this.#engine, this.#which)
    this.#last = 0
    this.#found = []
    this.#unanswered.clear()
  }
}

/** Selects the requests that match all its fields. */
interface RequestFilter {
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
function matchingRequests(engine: Engine, which: RequestFilter): RequestEntry[] {
  return engine.journal.entries
    .filter((entry) => entry.kind === 'request')
    .filter(selects(engine, which))
}

/** Makes the function that tells whether a request is one of the selected ones. */
function selects({ store }: Engine, which: RequestFilter): (request: RequestEntry) => boolean {
  const { job, after = 0 } = which
  const pattern = patternFor(which)
  const wanted = job === undefined ? undefined : store.jobs.get(job)
  return (request) => {
    if (request.id <= after || !matchesRequest(pattern, request)) return false
    return job === undefined || (wanted !== undefined && isAboutJob(request, wanted, store))
  }
}

/** The fields that the request matcher knows, as its pattern. */
function patternFor({ operation, method, path, status }: RequestFilter): RequestPattern {
  return {
    ...(operation !== undefined && { operation }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path: globPattern(path) }),
    ...(status !== undefined && { status }),
  }
}

/** Refuses names that no request can match: they are probably typos. */
function filterProblem(
  { operation, method }: RequestFilter,
  operations: readonly Operation[],
): ApiError | undefined {
  const ids = operations.filter(({ host }) => host !== 'control').map(({ id }) => id)
  if (operation !== undefined && !ids.includes(operation)) {
    return unknownWord('operation', operation, ids)
  }
  if (method !== undefined && !METHODS.includes(method.toUpperCase())) {
    return unknownWord('method', method, METHODS)
  }
  return undefined
}

/** The methods that a client may try, including those that no operation has. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const readRequest = control({
  id: 'readRequest',
  method: 'GET',
  path: '/_emulator/requests/{request_id}',
  summary: 'One request with its headers and bodies, and why it was refused',
  params: requestPath,
  response: requestDetail,
  refusals: [404],
  run({ emulator: world, params: { request_id: id } }) {
    const { entries } = world.journal
    const found = entries.find((entry) => String(entry.id) === id)
    if (found?.kind === 'request') return new RequestDetails(world).of(found)
    const what = found ? `entry ${id} is a ${found.kind}` : `the journal has no entry ${id}`
    const range =
      entries.length === 0 ? 'It is empty.' : `It has ${entries[0]!.id} to ${entries.at(-1)!.id}.`
    return new ApiError(404, `Request not found: ${what}. ${range}`)
  },
})

export const requestOperations = [listRequests, countRequests, awaitRequests, readRequest]
