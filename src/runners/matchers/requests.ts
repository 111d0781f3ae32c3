import { counted } from '../../text/counted.js'
import { patternOf, formatPattern, type WhichRequest } from '../../testing/request-pattern.js'
import { Requests } from '../../testing/requests.js'
import { formatRequest } from '../../testing/format.js'
import { Options, wholeNumber } from '../../text/options.js'
import { notFor, type Verdict } from './verdict.js'

/** An emulator, or its `requests`. */
export type Asked = Requests | { readonly requests: Requests }

export interface RequestCount {
  /** How many there must be. Default: one or more. */
  times?: number
}

export const requestCount = new Options<RequestCount>('toHaveReceivedRequest', {
  times: wholeNumber(),
})

/** Whether a request came that fits: exactly so many of them where `times` is given. */
export function toHaveReceivedRequest(
  asked: Asked,
  meant: WhichRequest,
  options: RequestCount = {},
): Verdict {
  const requests = requestsOf(asked)
  const pattern = patternOf(meant, 'toHaveReceivedRequest')
  requestCount.check(options)
  const { times } = options
  const fitting = requests.all(pattern)
  const pass = times === undefined ? fitting.length > 0 : fitting.length === times
  const message = (): string => {
    if (fitting.length === 0)
      return `expected a request that matches ${requests.nearestTo(pattern)}`
    const wanted = times === undefined ? 'a request' : counted(times, 'request')
    const list = fitting.map((request) => `  ${formatRequest(request)}`)
    const verb = times === undefined || times === 1 ? 'matches' : 'match'
    const text = `expected ${pass ? 'not ' : ''}${wanted} that ${verb} ${formatPattern(pattern)}`
    return [`${text}, but there came ${fitting.length}:`, ...list].join('\n')
  }
  return { pass, message }
}

function requestsOf(asked: Asked): Requests {
  const requests = asked instanceof Requests ? asked : (asked as Partial<Emulated> | null)?.requests
  if (requests instanceof Requests) return requests
  return notFor(asked, 'emulator', 'Pass the emulator, or emulator.requests.')
}

type Emulated = Exclude<Asked, Requests>
