import { milliseconds } from '../../../../base/text/duration.js'
import { waitHeaders } from '../../../contract/status-wording.js'
import { fillFaultMessage } from '../../fault-message.js'
import { defineFault } from '../definition.js'
import { STAGE_WORDS } from '../stage-words.js'

export const status = defineFault({
  schema: ({ faultSchema, int, string, record, json, duration, headerValue, message, stage }) => {
    // The emulator itself sets the headers that say where a response ends.
    const headerName = string().regex(
      /^(?!(?:content-length|transfer-encoding|trailer)$)[!#$%&'*+.^_`|~\w-]+$/i,
      'expected the name of a header, except those that say how long the response is',
    )
    return faultSchema('status', 'Answers with an error status.', {
      status: int()
        .min(400)
        .max(599)
        .meta({ description: 'The HTTP status of the response.', examples: [503] }),
      message,
      body: json.optional().meta({
        description: 'The body of the response. Default: an error in the form of the host.',
        examples: [{ error: 'gateway timeout' }],
      }),
      headers: record(headerName, headerValue)
        .default({})
        .meta({
          description: 'Headers that are added to the response, by name.',
          examples: [{ 'x-request-id': 'abc' }],
        }),
      retry_after: duration.optional().meta({
        description: 'How long a Retry-After header asks the client to wait, such as 2s.',
        examples: ['2s'],
      }),
      stage,
    })
  },
  words({ status: code, stage = 'before' }) {
    const [suffix, when] = STAGE_WORDS[stage]
    return [`${code}${suffix}`, `status ${code}${when}`]
  },
  survivable: false,
  damage: 'lost',
  apply(rule, { plan, request, untilOver }) {
    const { status: code, stage, body, retry_after: after } = rule
    const wait = after === undefined ? undefined : milliseconds(after)
    const headers = { ...(wait !== undefined && waitHeaders(wait)), ...rule.headers }
    const message = fillFaultMessage(rule.message, request)
    plan.wait = wait ?? untilOver
    plan.ending = {
      stage,
      answer: ({ refuse, reply }) => {
        if (body === undefined) return refuse(code, { message, headers })
        if (typeof body !== 'string') return reply(code, body, headers)
        const contentType = { 'content-type': 'text/plain; charset=utf-8' }
        return { kind: 'response', status: code, headers: { ...contentType, ...headers }, body }
      },
    }
    return `${code}${stage === 'after' ? ' after the work' : ''}`
  },
})
