import { counted } from '../../base/text/counted.js'
import {
  patternOf,
  formatPattern,
  type WhichRequest,
} from '../../emulator/testing/request-pattern.js'
import { NoSuchRequestError, Requests } from '../../emulator/testing/requests.js'
import { formatRequest } from '../../emulator/testing/format.js'
import { Options, wholeNumber } from '../../base/text/options.js'
import { partOf, type Verdict } from './verdict.js'

/** An emulator, or its `requests`. */
export type WithRequests = Requests | { readonly requests: Requests }

/** The options of `toHaveReceivedRequest` and `assertReceivedRequest`. */
export interface RequestCount {
  /** The exact number of requests. Default: one or more. */
  times?: number
}

export const requestCount = new Options<RequestCount>('toHaveReceivedRequest', {
  times: wholeNumber(),
})

/**
 * Whether a matching request arrived, or exactly `times` of them.
 *
 * @throws {NoSuchRequestError} When none did, and worlds of API keys have such requests.
 */
export function toHaveReceivedRequest(
  emulator: WithRequests,
  request: WhichRequest,
  options: RequestCount = {},
): Verdict {
  const requests = partOf(emulator, Requests, 'requests')
  const pattern = patternOf(request, 'toHaveReceivedRequest')
  requestCount.check(options)
  const { times } = options
  const matching = requests.all(pattern)
  // Otherwise, an assertion with `not` would pass because it looks at the wrong world.
  const elsewhere = matching.length === 0 ? requests.inOtherWorlds(pattern) : undefined
  if (elsewhere !== undefined) {
    throw new NoSuchRequestError(
      `No request in this world matches ${formatPattern(pattern)}. ${elsewhere}.`,
    )
  }
  const pass = times === undefined ? matching.length > 0 : matching.length === times
  const message = (): string => {
    if (matching.length === 0)
      return `expected a request that matches ${requests.nearestTo(pattern)}`
    const expected = times === undefined ? 'a request' : counted(times, 'request')
    const list = matching.map((each) => `  ${formatRequest(each)}`)
    const verb = times === undefined || times === 1 ? 'matches' : 'match'
    const text = `expected ${pass ? 'not ' : ''}${expected} that ${verb} ${formatPattern(pattern)}`
    return [`${text}, but ${matching.length} arrived:`, ...list].join('\n')
  }
  return { pass, message }
}
