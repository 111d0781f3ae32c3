import { fillFaultMessage } from '../../fault-message.js'
import { defineFault } from '../definition.js'
import { tooMany } from '../too-many.js'

export const rateLimit = defineFault({
  schema: ({ faultSchema, int, duration, message }) =>
    faultSchema('rate_limit', 'Answers 429 if requests come too fast, as a token bucket does.', {
      requests: int()
        .positive()
        .meta({
          description: 'The number of requests that are allowed in the time of `within`.',
          examples: [3],
        }),
      within: duration.meta({
        description: 'The time in which `requests` are allowed, such as 6s.',
        examples: ['6s'],
      }),
      burst: int()
        .positive()
        .optional()
        .meta({
          description: 'The most requests that are allowed at once. Default: `requests`.',
          examples: [5],
        }),
      message,
    }),
  words: () => ['rate-limited', 'status 429 if they come too fast'],
  survivable: true,
  damage: 'lost',
  apply({ requests, within, burst = requests, message }, { plan, request, takeToken }) {
    const result = takeToken()
    plan.headers['x-ratelimit-limit-requests'] = String(burst)
    plan.headers['x-ratelimit-remaining-requests'] = String(result.taken ? result.left : 0)
    plan.headers['x-ratelimit-reset-requests'] = formatTime(
      result.taken ? result.full : result.wait,
    )
    if (result.taken) return undefined
    plan.wait = result.wait
    plan.ending = tooMany(fillFaultMessage(message, request), result.wait)
    return `over ${requests} requests within ${within}`
  },
})

/** Formats a time as the chat-completions API does: `12ms`, `1.5s`, `6m0s`. */
function formatTime(time: number): string {
  const ms = Math.round(time)
  if (ms < 1000) return `${ms}ms`
  const minutes = Math.floor(ms / 60_000)
  const seconds = (ms % 60_000) / 1000
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`
}
