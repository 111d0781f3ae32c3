import * as z from 'zod'
import { condition } from './condition.js'
import { code, duration, globs, headerValue } from './text.js'

/** What a scenario in TypeScript can match a fault against: the argument of a `match` function. */
export interface FaultFacts {
  /** The id of the operation, as the README lists them. */
  operation: string
  host: 'training' | 'inference'
  method: string
  path: string
  key: string
  user: string
  /** The name of the model that the request is about, if it names one. */
  model: string | undefined
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>
  /** The body, if it is JSON. */
  body: unknown
  /** The number of this call among those that the rule matches, from 1. */
  call: number
}

const match = z
  .union([
    z.strictObject({
      operation: globs.optional().describe('Operation ids, as the README lists them'),
      host: z.enum(['training', 'inference']).optional(),
      method: z.enum(['GET', 'POST', 'DELETE']).optional(),
      key: globs.optional(),
      user: globs.optional(),
      model: globs.optional().describe('The name of the model that the request is about'),
      headers: z.record(z.string().toLowerCase(), condition).optional(),
    }),
    code<(request: FaultFacts) => boolean>(),
  ])
  .default({})

const call = z.int().positive()

export const calls = z
  .union(
    [
      call,
      z.array(call).min(1),
      z
        .strictObject({ from: call.optional(), to: call.optional(), every: call.optional() })
        .refine((given) => Object.keys(given).length > 0, { error: 'expected from, to or every' }),
    ],
    { error: 'expected the number of a call, a list of numbers, or { from: 1, to: 3, every: 2 }' },
  )
  .describe('Which of the matching calls, counted from 1. Default: all')

const during = z
  .strictObject({ from: duration.prefault('0'), to: duration.optional() })
  .describe('When it is active, counted from the start of the scenario')

const rule = {
  name: z
    .string()
    .min(1)
    .optional()
    .describe('The name with which the timeline opens and closes the fault'),
  description: z.string().optional(),
  match,
  calls: calls.optional(),
  per: z
    .enum(['all', 'operation', 'key', 'model'])
    .default('all')
    .describe('Which calls are counted together and share a rate limit'),
  during: during.optional(),
  probability: z.number().min(0).max(1).optional().describe('Seeded: the same calls in every run'),
  open: z.boolean().default(true).describe('false: it has no effect until the timeline opens it'),
}

const stage = z
  .enum(['before', 'after'])
  .default('before')
  .describe('after: the emulator does the work, but the client does not learn about it')

const json: z.ZodType<Json> = z.json()
type Json = z.infer<ReturnType<typeof z.json>>

const amount = z.union(
  [
    duration,
    z.strictObject({ from: duration, to: duration }).describe('Evenly distributed between the two'),
    z
      .strictObject({ median: duration, p99: duration })
      .describe('Log-normal: most are near the median, a few are much longer'),
  ],
  { error: 'expected a duration such as 2s, { from: 1s, to: 3s } or { median: 200ms, p99: 2s }' },
)

const pageRule = { ...rule }

const MOST_ARRIVALS = 1000

// The emulator sets the headers that say where a response ends.
const headerName = z
  .string()
  .regex(
    /^(?!(?:content-length|transfer-encoding|trailer)$)[!#$%&'*+.^_`|~\w-]+$/i,
    'expected the name of a header, except those that say how long the response is',
  )

export const fault = z.discriminatedUnion('fault', [
  z.strictObject({
    fault: z.literal('status'),
    ...rule,
    status: z.int().min(400).max(599),
    message: z.string().optional().describe('Default: what the real host says for that status'),
    body: json.optional().describe('Replaces the body that the host would send'),
    headers: z.record(headerName, headerValue).default({}),
    retry_after: duration.optional(),
    stage,
  }),
  z.strictObject({ fault: z.literal('delay'), ...rule, delay: amount, stage }),
  z.strictObject({
    fault: z.literal('drop'),
    ...rule,
    stage: z
      .enum(['before', 'after', 'mid_body'])
      .default('before')
      .describe('When the connection is lost: before the work, after it, or half-way through'),
  }),
  z.strictObject({ fault: z.literal('hang'), ...rule, stage }),
  z.strictObject({
    fault: z.literal('malformed'),
    ...rule,
    form: z.enum(['truncated', 'not_json', 'empty', 'html']).default('truncated'),
    status: z
      .int()
      .min(200)
      .max(599)
      .optional()
      .describe('Default: the status of the normal response'),
  }),
  z.strictObject({ fault: z.literal('content_type'), ...rule, content_type: headerValue }),
  z.strictObject({
    fault: z.literal('trickle'),
    ...rule,
    bytes: z.int().positive().default(16).describe('Bytes in each piece'),
    every: duration.prefault('100ms'),
  }),
  z.strictObject({
    fault: z.literal('rate_limit'),
    ...rule,
    requests: z.int().positive(),
    within: duration.describe('The time within which `requests` are allowed'),
    burst: z.int().positive().optional().describe('The most requests at once. Default: `requests`'),
  }),
  z.strictObject({
    fault: z.literal('concurrency'),
    ...rule,
    most: z.int().positive().describe('The most requests at once'),
  }),
  z
    .strictObject({
      fault: z.literal('page_overlap'),
      ...pageRule,
      by: z.int().positive().default(1),
    })
    .describe('A page begins with the last items of the page before'),
  z
    .strictObject({ fault: z.literal('page_restart'), ...pageRule })
    .describe('A page ignores the cursor and begins with the first item'),
  z
    .strictObject({ fault: z.literal('page_empty'), ...pageRule })
    .describe('A page has no items, but has_more: true'),
  z
    .strictObject({ fault: z.literal('page_repeat'), ...pageRule })
    .describe('The page that ended with the cursor comes again, so its last id is the same'),
  z
    .strictObject({ fault: z.literal('page_stale'), ...pageRule })
    .describe('The cursor is refused as unknown'),
  z
    .strictObject({
      fault: z.literal('page_arrivals'),
      ...pageRule,
      items: z.int().positive().max(MOST_ARRIVALS).default(1),
    })
    .describe('New items appear after each page'),
  z
    .strictObject({ fault: z.literal('page_limit'), ...pageRule, limit: z.int().positive() })
    .describe('No page has more items, whatever limit the request asks for'),
])
