import * as z from 'zod'
import { findPathProblem } from '../../../base/text/json-edit.js'
import { findFaultMessageProblem } from '../fault-message.js'
import { condition } from './condition.js'
import type { OperationName } from '../../contract/operation-names.js'
import { code, duration, globs, headerValue, type Named } from './text.js'

/** A request, as the `match` function of a fault gets it. */
export interface FaultFacts {
  /** The id of the operation, such as `createRlTrainingJob`. docs/reference/operations.md lists all ids. */
  operation: string
  host: 'training' | 'inference'
  method: string
  path: string
  key: string
  user: string
  /** The name of the model that the request is about, if it names one. */
  model: string | undefined
  /** The project that the request is about: of its model, or the one that a header of a chat names. */
  project: string | undefined
  /** The headers of the request. Their names are in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The parsed body. Undefined if it is not JSON. */
  body: unknown
  /** The number of this call among the calls that the rule matched, from 1. */
  call: number
}

const globsOn = (what: string, otherwise: string, examples: readonly string[]) =>
  globs.optional().meta({
    description: `${what}: a glob such as poet*, or a list of globs. Default: ${otherwise}.`,
    examples: [...examples],
  })

/** In code, the names of the operations complete. */
type OperationGlobs = z.ZodType<
  Named<OperationName> | Named<OperationName>[],
  Named<OperationName> | Named<OperationName>[]
>

/** The operations that a fault applies to. */
export const operationField = (globs as OperationGlobs).optional().meta({
  description:
    'The id of the operation, such as createRlTrainingJob: a glob, or a list of globs. `svtrain-emulator docs operations` lists all ids. Default: any operation.',
  examples: ['createRlTrainingJob', 'list*'],
})

const match = z
  .union([
    z.strictObject({
      operation: operationField,
      host: z
        .enum(['training', 'inference'])
        .optional()
        .meta({
          description: 'The host that the request was sent to. Default: both.',
          examples: ['inference'],
        }),
      method: z
        .enum(['GET', 'POST', 'DELETE'])
        .optional()
        .meta({
          description: 'The HTTP method of the request. Default: any method.',
          examples: ['POST'],
        }),
      key: globsOn('The API key of the request', 'any key', ['key-of-ada']),
      user: globsOn('The user that the API key belongs to', 'any user', ['ada']),
      model: globsOn('The name of the model that the request is about', 'any request', ['poet*']),
      project: globsOn('The project that the request is about', 'any request', ['verse']),
      headers: z
        .record(z.string().toLowerCase(), condition)
        .optional()
        .meta({
          description: 'Conditions on headers of the request, by name. All of them must match.',
          examples: [{ 'user-agent': 'my-client*' }],
        }),
    }),
    code<(request: FaultFacts) => boolean>(),
  ])
  .default({})
  .meta({
    description: 'The calls that the fault applies to. Default: all calls.',
    examples: [{ operation: 'getTrainingJob' }],
  })

const call = z.int().positive()

export const calls = z
  .union(
    [
      call.describe('The number of one call.'),
      z.array(call).min(1).describe('The numbers of several calls.'),
      z
        .strictObject({
          from: call.optional().meta({ description: 'The first call. Default: 1.', examples: [2] }),
          to: call
            .optional()
            .meta({ description: 'The last call. Default: there is no last one.', examples: [4] }),
          every: call.optional().meta({
            description: '2 is every second call, beginning with `from`. Default: 1, every call.',
            examples: [2],
          }),
        })
        .refine((range) => Object.keys(range).length > 0, { error: 'expected from, to or every' })
        .describe('A range of calls.'),
    ],
    { error: 'expected the number of a call, a list of numbers, or { from: 1, to: 3, every: 2 }' },
  )
  .meta({
    title: 'Calls',
    description:
      'Which of the matching calls are affected, counted from 1: a number, a list of numbers, or a range such as { from: 1, to: 3 }. Default: all.',
    examples: [1, [1, 3], { from: 2, every: 2 }],
  })

const during = z
  .strictObject({
    from: duration
      .prefault('0')
      .meta({ description: 'The start of the window, such as 10s.', examples: ['10s'] }),
    to: duration.optional().meta({
      description: 'The end of the window, such as 20s. Default: no end.',
      examples: ['20s'],
    }),
  })
  .meta({
    description:
      'The window in which the fault has an effect. Its times count from the start of the scenario. Default: always.',
    examples: [{ from: '10s', to: '20s' }],
  })

const counter = z.enum(['all', 'operation', 'path', 'key', 'model', 'project'])

const rule = {
  name: z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'The name by which the timeline opens and closes the fault.',
      examples: ['outage'],
    }),
  description: z
    .string()
    .optional()
    .meta({
      description: 'A note for people. It has no effect.',
      examples: ['The gateway is down.'],
    }),
  match,
  calls: calls.optional(),
  per: z
    .union([counter, z.array(counter).min(1)])
    .default('all')
    .meta({
      description:
        'Which calls `calls` and limits count together: all calls, or those of the same operation, path, API key, model or project. A list such as [project, model] counts those that have all of them in common.',
      examples: ['operation', ['project', 'model']],
    }),
  during: during.optional(),
  probability: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({
      description:
        'The probability, from 0 to 1, that a matching call is affected. The seed decides, so every run affects the same calls. Default: every matching call.',
      examples: [0.2],
    }),
  open: z
    .boolean()
    .default(true)
    .meta({
      description:
        'Whether the fault has an effect from the start. false: it has none until the timeline opens it.',
      examples: [false],
    }),
}

const stage = z
  .enum(['before', 'after'])
  .default('before')
  .meta({
    description:
      'When the fault happens. before: the fault happens before the work. after: the emulator does the work first, but the client does not learn about it.',
    examples: ['after'],
  })

const json: z.ZodType<Json> = z.json()
type Json = z.infer<ReturnType<typeof z.json>>

const message = z
  .string()
  .superRefine((text, context) => {
    const problem = findFaultMessageProblem(text)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .optional()
  .meta({
    description:
      'The error message. It can have the placeholders {{model}} and {{project}}. Default: the message of the host for this status.',
    examples: ['{{model}} is busy.'],
  })

const path = z.string().superRefine((text, context) => {
  const problem = findPathProblem(text)
  if (problem) context.addIssue({ code: 'custom', message: problem })
})

const delay = z.union(
  [
    duration,
    z
      .strictObject({
        from: duration.meta({ description: 'The shortest delay, such as 1s.', examples: ['1s'] }),
        to: duration.meta({ description: 'The longest delay, such as 3s.', examples: ['3s'] }),
      })
      .describe('A random delay, evenly distributed between the two.'),
    z
      .strictObject({
        median: duration.meta({
          description: 'Half of the delays are shorter than this.',
          examples: ['200ms'],
        }),
        p99: duration.meta({
          description: '99 of 100 delays are shorter than this.',
          examples: ['2s'],
        }),
      })
      .describe('A random delay, log-normal: most are near the median, a few are much longer.'),
  ],
  { error: 'expected a duration such as 2s, { from: 1s, to: 3s } or { median: 200ms, p99: 2s }' },
)

const MOST_ARRIVALS = 1000

// The emulator itself sets the headers that say where a response ends.
const headerName = z
  .string()
  .regex(
    /^(?!(?:content-length|transfer-encoding|trailer)$)[!#$%&'*+.^_`|~\w-]+$/i,
    'expected the name of a header, except those that say how long the response is',
  )

export const fault = z.discriminatedUnion('fault', [
  z
    .strictObject({
      fault: z.literal('status'),
      ...rule,
      status: z
        .int()
        .min(400)
        .max(599)
        .meta({ description: 'The HTTP status of the response.', examples: [503] }),
      message,
      body: json.optional().meta({
        description: 'The body of the response. Default: an error in the form of the host.',
        examples: [{ error: 'gateway timeout' }],
      }),
      headers: z
        .record(headerName, headerValue)
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
    .describe('Answers with an error status.'),
  z
    .strictObject({
      fault: z.literal('delay'),
      ...rule,
      delay: delay.meta({
        description:
          'How late the response is: 2s, { from: 1s, to: 3s } or { median: 200ms, p99: 2s }.',
        examples: ['2s', { from: '1s', to: '3s' }, { median: '200ms', p99: '2s' }],
      }),
      stage,
    })
    .describe('Delays the response.'),
  z
    .strictObject({
      fault: z.literal('drop'),
      ...rule,
      stage: z
        .enum(['before', 'after', 'mid_body'])
        .default('before')
        .meta({
          description:
            'When the connection is lost. before: before the work. after: after the work, before the response. mid_body: half-way through the response.',
          examples: ['mid_body'],
        }),
    })
    .describe('Closes the connection before the response is complete.'),
  z
    .strictObject({
      fault: z.literal('hang'),
      ...rule,
      stage: z
        .enum(['before', 'after', 'mid_body'])
        .default('before')
        .meta({
          description:
            'When the response stops. before: before the work. after: after the work, before the response. mid_body: half-way through the response. The client gets the status, the headers and half of the body.',
          examples: ['after'],
        }),
    })
    .describe(
      'Sends no response, or half of it. The connection stays open until the client closes it.',
    ),
  z
    .strictObject({
      fault: z.literal('edit'),
      ...rule,
      remove: z
        .union([path, z.array(path).min(1)])
        .optional()
        .meta({
          description:
            'The fields to remove: a path such as choices.*.logprobs, or a list of paths. `*` is every item, 0 the first and -1 the last one.',
          examples: ['choices.*.logprobs'],
        }),
      set: z
        .record(path, json)
        .optional()
        .meta({
          description:
            'New values of fields, by path, such as { usage.completion_tokens: 99 }. A field is set if what contains it exists.',
          examples: [{ 'usage.completion_tokens': 99 }],
        }),
    })
    .refine(({ remove, set }) => remove !== undefined || set !== undefined, {
      error: 'expected remove or set',
    })
    .meta({
      description:
        'Changes fields of a JSON response. In a stream, it changes the fields of each event.',
      examples: [{ fault: 'edit', remove: 'choices.*.logprobs' }],
    }),
  z
    .strictObject({
      fault: z.literal('malformed'),
      ...rule,
      form: z
        .enum(['truncated', 'not_json', 'empty', 'html'])
        .default('truncated')
        .meta({
          description:
            'What the client gets instead of the body. truncated: the first half of the body. not_json: plain text. empty: no body. html: an HTML page.',
          examples: ['html'],
        }),
      status: z
        .int()
        .min(200)
        .max(599)
        .optional()
        .meta({
          description: 'The HTTP status of the response. Default: the status without the fault.',
          examples: [502],
        }),
    })
    .describe('Sends a body that is not valid JSON.'),
  z
    .strictObject({
      fault: z.literal('content_type'),
      ...rule,
      content_type: headerValue.meta({
        description: 'The value of the header, such as text/plain.',
        examples: ['text/plain'],
      }),
    })
    .describe('Sends another Content-Type header.'),
  z
    .strictObject({
      fault: z.literal('trickle'),
      ...rule,
      bytes: z
        .int()
        .positive()
        .default(16)
        .meta({ description: 'The number of bytes in each piece.', examples: [1] }),
      every: duration
        .prefault('100ms')
        .meta({ description: 'The time between two pieces.', examples: ['1s'] }),
    })
    .describe('Sends the body slowly, piece by piece.'),
  z
    .strictObject({
      fault: z.literal('rate_limit'),
      ...rule,
      requests: z
        .int()
        .positive()
        .meta({
          description: 'The number of requests that are allowed in the time of `within`.',
          examples: [3],
        }),
      within: duration.meta({
        description: 'The time in which `requests` are allowed, such as 6s.',
        examples: ['6s'],
      }),
      burst: z
        .int()
        .positive()
        .optional()
        .meta({
          description: 'The most requests that are allowed at once. Default: `requests`.',
          examples: [5],
        }),
      message,
    })
    .describe('Answers 429 if requests come too fast, as a token bucket does.'),
  z
    .strictObject({
      fault: z.literal('concurrency'),
      ...rule,
      most: z
        .int()
        .positive()
        .meta({
          description: 'The most requests that may be in progress at the same time.',
          examples: [2],
        }),
      message,
    })
    .describe('Answers 429 if too many requests are in progress.'),
  z
    .strictObject({
      fault: z.literal('fail_job'),
      ...rule,
      error_message: z
        .string()
        .min(1)
        .default('Training failed')
        .meta({ description: 'The error message of the job.', examples: ['out of memory'] }),
      after_steps: z
        .int()
        .nonnegative()
        .default(1)
        .meta({
          description:
            'How many gradient steps the job takes before it fails. A job with fewer steps takes all of them.',
          examples: [3],
        }),
    })
    .meta({
      description:
        'The call creates a job, and the job fails. Only calls that create a job count: with `calls: 1`, the next job fails.',
      examples: [{ fault: 'fail_job', calls: 1 }],
    }),
  z
    .strictObject({
      fault: z.literal('page_overlap'),
      ...rule,
      by: z
        .int()
        .positive()
        .default(1)
        .meta({ description: 'The number of items that come again.', examples: [2] }),
    })
    .describe('A page begins with the last items of the page before.'),
  z
    .strictObject({ fault: z.literal('page_restart'), ...rule })
    .describe('A page ignores the cursor and begins with the first item.'),
  z
    .strictObject({ fault: z.literal('page_empty'), ...rule })
    .describe('A page has no items, but has_more is true.'),
  z
    .strictObject({ fault: z.literal('page_repeat'), ...rule })
    .describe('The page that ended with the cursor comes again, so its last id is the same.'),
  z
    .strictObject({ fault: z.literal('page_stale'), ...rule })
    .describe('The cursor is refused with 404, as if it were unknown.'),
  z
    .strictObject({
      fault: z.literal('page_arrivals'),
      ...rule,
      items: z
        .int()
        .positive()
        .max(MOST_ARRIVALS)
        .default(1)
        .meta({ description: 'The number of new items after each page.', examples: [3] }),
    })
    .describe('New items appear after each page.'),
  z
    .strictObject({
      fault: z.literal('page_limit'),
      ...rule,
      limit: z
        .int()
        .positive()
        .meta({ description: 'The most items of a page.', examples: [1] }),
    })
    .describe('Pages have fewer items than the request asks for.'),
])
