import { beginningOf } from '../../../../base/text/shortened.js'
import { defineFault, type Answer } from '../definition.js'

export const malformed = defineFault({
  schema: ({ faultSchema, choice, int, valuesMean }) =>
    faultSchema('malformed', 'Sends a body that is not valid JSON.', {
      form: choice(['truncated', 'not_json', 'empty', 'html'])
        .default('truncated')
        .meta({
          ...valuesMean('What the client gets instead of the body.', {
            truncated: 'the first half of the body',
            not_json: 'plain text',
            empty: 'no body',
            html: 'an HTML page',
          }),
          examples: ['html'],
        }),
      status: int()
        .min(200)
        .max(599)
        .optional()
        .meta({
          description: 'The HTTP status of the response. Default: the status without the fault.',
          examples: [502],
        }),
    }),
  words: ({ form = 'truncated' }) => ['unreadable', `an answer that is not JSON (${form})`],
  survivable: false,
  damage: 'unreadable',
  apply({ form, status }, { plan }) {
    plan.shapes.push((answer, { drain }) => {
      drain(answer)
      const { contentType = answer.headers['content-type'] ?? 'application/json', body } =
        FORMS[form]
      return {
        ...answer,
        kind: 'response',
        status: status ?? answer.status,
        headers: { ...answer.headers, 'content-type': contentType },
        body: body ?? firstHalfOf(answer),
      }
    })
    return form
  },
})

/** What replaces an answer. Without `body`, its first half does. */
const FORMS: Readonly<
  Record<'truncated' | 'not_json' | 'empty' | 'html', { contentType?: string; body?: string }>
> = {
  truncated: {},
  not_json: {
    contentType: 'text/plain; charset=utf-8',
    body: 'upstream connect error or disconnect/reset before headers',
  },
  empty: { body: '' },
  html: {
    contentType: 'text/html; charset=utf-8',
    body: '<html><head><title>Error</title></head><body><h1>Error</h1></body></html>\n',
  },
}

const STREAM_OPENING = 'data: {"id": "chatcmpl-'

function firstHalfOf(answer: Answer): string {
  const full = answer.kind === 'response' ? answer.body : STREAM_OPENING
  return beginningOf(full, Math.ceil(full.length / 2))
}
