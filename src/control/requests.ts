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
import { requestJson } from './journal-entry.js'
import { meantBy, whichProblem, requestsWhere, type Which } from './requests-where.js'
import { control } from './row.js'

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
      return new ApiError(400, `timeout: "${timeout}" is no duration such as 10s, at most 5m.`)
    }
    const enough = await seen(world, { which, count, limit })
    if (enough) {
      return { requests: requestsWhere(world.engine, which).slice(0, count).map(requestJson) }
    }
    const made = requestsWhere(world.engine, which).length
    const nearest = world.requests.nearestTo(meantBy(which))
    return new ApiError(
      408,
      `Within ${timeout}, ${made} of ${count} requests came that fit ${nearest}`,
    )
  },
})

interface Awaited {
  which: Which
  count: number
  /** Milliseconds of real time. */
  limit: number
}

/** Resolves to whether there were enough in time; the end of the emulator ends the wait, too. */
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

export const requestOperations = [listRequests, countRequests, awaitRequests]
