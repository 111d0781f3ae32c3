import { failingWith } from '../../base/text/background-errors.js'
import { globPattern } from '../../base/text/match.js'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import type { Operation } from '../../service/api/operation.js'
import type { ApiError } from '../../service/contract/errors.js'
import type { Engine } from '../../service/engine/engine.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import type { Emulator } from '../emulator.js'
import { isAboutJob } from '../testing/job-of-request.js'
import { matchesRequest, type RequestPattern } from '../testing/request-pattern.js'
import { jobCalled } from './called.js'
import { unknownWord } from './unknown-names.js'

/** Selects the requests that match all its fields. */
export interface RequestFilter {
  operation?: string
  method?: string
  /** A glob. */
  path?: string
  status?: number
  /** The id of a job. */
  job?: string | undefined
  /** The id of a journal entry. Selects the requests after it. */
  after?: number
}

/** The selected requests, oldest first. */
export function matchingRequests(engine: Engine, which: RequestFilter): RequestEntry[] {
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
export function patternFor({ operation, method, path, status }: RequestFilter): RequestPattern {
  return {
    ...(operation !== undefined && { operation }),
    ...(method !== undefined && { method: method.toUpperCase() }),
    ...(path !== undefined && { path: globPattern(path) }),
    ...(status !== undefined && { status }),
  }
}

/** A filter with the whole id of its job. Refuses names that no request can match: they are probably typos. */
export function readFilter(
  filter: RequestFilter,
  world: Emulator,
  operations: readonly Operation[],
): RequestFilter | ApiError {
  const { operation, method } = filter
  const job = jobCalled(world, filter.job)?.id
  const ids = operations.filter(({ host }) => host !== 'control').map(({ id }) => id)
  if (operation !== undefined && !ids.includes(operation)) {
    return unknownWord('operation', operation, ids)
  }
  if (method !== undefined && !METHODS.includes(method.toUpperCase())) {
    return unknownWord('method', method, METHODS)
  }
  return { ...filter, job }
}

/** The methods that a client may try, including those that no operation has. */
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

interface WantedRequests {
  which: RequestFilter
  count: number
  /** Milliseconds of real time. */
  limit: number
}

/** Resolves to the matching requests when there are enough, or when the time or the emulator ends. */
export function awaitMatching(
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
