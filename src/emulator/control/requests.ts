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
import { parseDuration, roundDuration } from '../../base/text/duration.js'
import { awaitMatching, matchingRequests, patternFor, readFilter } from './matching-requests.js'
import { requestJson } from './journal-entry.js'
import { RequestDetails } from './request-detail.js'
import { control } from './row.js'

const listRequests = control({
  id: 'listRequests',
  method: 'GET',
  path: '/_emulator/requests',
  summary: 'The latest requests, or with `after` the next ones; newest last',
  query: requestFilter,
  response: requestList,
  run({ emulator: world, engine, query: { limit, ...filter }, operations }) {
    const which = readFilter(filter, world, operations)
    if (which instanceof ApiError) return which
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
  run({ emulator: world, engine, query, operations }) {
    const which = readFilter(query, world, operations)
    if (which instanceof ApiError) return which
    return { count: matchingRequests(engine, which).length }
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
  async run({ emulator: world, query: { count, timeout, ...filter }, operations }) {
    const which = readFilter(filter, world, operations)
    if (which instanceof ApiError) return which
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
