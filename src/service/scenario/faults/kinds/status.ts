import { milliseconds } from '../../../../base/text/duration.js'
import { waitHeaders } from '../../../contract/status-refusals.js'
import { fillFaultMessage } from '../../fault-message.js'
import type { Chunk, Chunks, Outcome } from '../../../contract/exchange.js'
import { defineFault } from '../definition.js'
import { STAGE_WORDS } from '../stage-words.js'

export const status = defineFault({
  schema: ({
    faultSchema,
    choice,
    int,
    string,
    record,
    json,
    duration,
    headerValue,
    message,
    valuesMean,
  }) => {
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
      stage: choice(['before', 'after', 'mid_body'])
        .default('before')
        .meta({
          ...valuesMean('When the fault happens.', {
            before: 'before the work',
            after: 'the emulator does the work first, but the client does not learn about it',
            mid_body:
              'as an event of a stream, after its first events, with the status 200. Other answers are as with after',
          }),
          examples: ['after'],
        }),
    })
  },
  words({ status: code, stage = 'before' }) {
    const [suffix, when] = STAGE_WORDS[stage]
    return [`${code}${suffix}`, `status ${code}${when}`]
  },
  survivable: false,
  damage: 'lost',
  isWaitedFor: ({ retry_after }) => retry_after === undefined,
  apply(rule, { plan, request, untilOver }) {
    const { status: code, stage, body, retry_after: after } = rule
    const wait = after === undefined ? undefined : milliseconds(after)
    const headers = { ...(wait !== undefined && waitHeaders(wait)), ...rule.headers }
    const message = fillFaultMessage(rule.message, request)
    plan.wait = wait ?? untilOver()
    plan.ending = {
      stage,
      answer: ({ refuse, reply, drain }, worked) => {
        const refusal = (): Outcome => {
          if (body === undefined) return refuse(code, { message, headers })
          if (typeof body !== 'string') return reply(code, body, headers)
          const contentType = { 'content-type': 'text/plain; charset=utf-8' }
          return { kind: 'response', status: code, headers: { ...contentType, ...headers }, body }
        }
        if (stage === 'mid_body' && worked && hasEvents(worked)) {
          return { ...worked, chunks: endedBy(worked.chunks, refusal()) }
        }
        if (stage === 'mid_body' && worked) drain(worked)
        return refusal()
      },
    }
    return `${code}${MOMENTS[stage]}`
  },
})

const MOMENTS = { before: '', after: ' after the work', mid_body: ' within the stream' } as const

type Events = Extract<Outcome, { kind: 'stream' }>

function hasEvents(outcome: Outcome): outcome is Events {
  return (
    outcome.kind === 'stream' &&
    outcome.headers['content-type']?.startsWith('text/event-stream') === true
  )
}

/** The opening of a chat, and its first token. */
const EVENTS_BEFORE = 2

/** The first events of a stream, then an error as an event, as the chat server reports what fails meanwhile. */
async function* endedBy(chunks: Chunks, refusal: Outcome): AsyncGenerator<Chunk> {
  let left = EVENTS_BEFORE
  for await (const chunk of chunks) {
    const events = String(chunk).split('\n\n').filter(Boolean).slice(0, left)
    for (const event of events) yield `${event}\n\n`
    left -= events.length
    if (left <= 0) break
  }
  const body = refusal.kind === 'response' ? refusal.body : ''
  yield `data: ${body.replaceAll('\n', '\ndata: ')}\n\n`
  yield 'data: [DONE]\n\n'
}
