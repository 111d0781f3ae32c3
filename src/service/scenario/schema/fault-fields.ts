import * as z from 'zod'
import { findFaultMessageProblem } from '../fault-message.js'
import { bounds, headerConditions } from './condition.js'
import type { OperationName } from '../../contract/operation-names.js'
import { duration, globs, headerValue, type KnownName, reporting } from './text.js'
import { kindsBy } from './kinds-by.js'
import {
  code,
  flag,
  json,
  natural,
  nonEmptyText,
  note,
  positive,
  share,
  valuesMean,
} from './values.js'

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
  /** Whether the request asks a judge for scores: see `chat.judge`. */
  judge: boolean
  /** The step of the checkpoint that a chat asks for. 0 for a base model. Undefined for all other requests. */
  step: number | undefined
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
  KnownName<OperationName> | KnownName<OperationName>[],
  KnownName<OperationName> | KnownName<OperationName>[]
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
        .enum(['GET', 'POST', 'PUT', 'DELETE'])
        .optional()
        .meta({
          description: 'The HTTP method of the request. Default: any method.',
          examples: ['POST'],
        }),
      key: globsOn('The API key of the request', 'any key', ['key-of-ada']),
      user: globsOn('The user that the API key belongs to', 'any user', ['ada']),
      model: globsOn('The name of the model that the request is about', 'any request', ['poet*']),
      project: globsOn('The project that the request is about', 'any request', ['verse']),
      judge: flag.optional().meta({
        description:
          'Whether the request asks a judge for scores: see `chat.judge`. Default: any request.',
        examples: [true],
      }),
      step: z
        .union([natural, bounds])
        .optional()
        .meta({
          description:
            'The step of the checkpoint that a chat asks for (0 for a base model), or bounds such as { at_least: 1 }. Default: any request.',
          examples: [{ at_least: 1 }],
        }),
      headers: headerConditions({ 'user-agent': 'my-client*' }),
    }),
    code<(request: FaultFacts) => boolean>(),
  ])
  .default({})
  .meta({
    description: 'The calls that the fault applies to. Default: all calls.',
    examples: [{ operation: 'getTrainingJob' }],
  })

/** Some of many things that are counted from 1. */
function numbered(thing: string, article: 'a' | 'an') {
  return z.union(
    [
      positive.describe(`The number of one ${thing}.`),
      z.array(positive).min(1).describe(`The numbers of several ${thing}s.`),
      z
        .strictObject({
          from: positive
            .optional()
            .meta({ description: `The first ${thing}. Default: 1.`, examples: [2] }),
          to: positive.optional().meta({
            description: `The last ${thing}. Default: there is no last one.`,
            examples: [4],
          }),
          every: positive.optional().meta({
            description: `2 is every second ${thing}, beginning with \`from\`. Default: 1, every ${thing}.`,
            examples: [2],
          }),
        })
        .refine((range) => Object.keys(range).length > 0, { error: 'expected from, to or every' })
        .describe(`A range of ${thing}s.`),
    ],
    {
      error: `expected the number of ${article} ${thing}, a list of numbers, or { from: 1, to: 3, every: 2 }`,
    },
  )
}

export const calls = numbered('call', 'a').meta({
  title: 'Calls',
  description:
    'Which of the matching calls are affected, counted from 1: a number, a list of numbers, or a range such as { from: 1, to: 3 }. Default: all.',
  examples: [1, [1, 3], { from: 2, every: 2 }],
})

/** Some of the events that an entry of a timeline waits for. */
export const occurrences = numbered('event', 'an').meta({
  title: 'Occurrences',
  description:
    'Which of the matching events count, counted from 1: a number, a list of numbers, or a range such as { from: 1, every: 10 }. Default: all.',
  examples: [1, { every: 10 }],
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

const counter = z.enum(['all', 'operation', 'path', 'key', 'model', 'project', 'checkpoint'])

const rule = {
  name: nonEmptyText.optional().meta({
    description: 'The name by which the timeline opens and closes the fault.',
    examples: ['outage'],
  }),
  description: note('The gateway is down.'),
  match,
  calls: calls.optional(),
  per: z
    .union([counter, z.array(counter).min(1)])
    .default('all')
    .meta({
      description:
        'Which calls `calls` and limits count together: all calls, or those of the same operation, path, API key, model, project or checkpoint. A list such as [project, model] counts those that have all of them in common.',
      examples: ['operation', ['project', 'model']],
    }),
  during: during.optional(),
  probability: share.optional().meta({
    description:
      'The probability, from 0 to 1, that a matching call is affected. The seed decides, so every run affects the same calls. Default: every matching call.',
    examples: [0.2],
  }),
  open: flag.default(true).meta({
    description:
      'Whether the fault has an effect from the start. false: it has none until the timeline opens it.',
    examples: [false],
  }),
}

const stage = z
  .enum(['before', 'after'])
  .default('before')
  .meta({
    ...valuesMean('When the fault happens.', {
      before: 'the fault happens before the work',
      after: 'the emulator does the work first, but the client does not learn about it',
    }),
    examples: ['after'],
  })

const message = z
  .string()
  .superRefine(reporting(findFaultMessageProblem))
  .optional()
  .meta({
    description:
      'The error message. It can have the placeholders {{model}} and {{project}}. Default: the message of the host for this status.',
    examples: ['{{model}} is busy.'],
  })

/** The schema of a kind of fault: what all kinds have, and its own fields. */
const faultSchema = kindsBy('fault', rule)

/** What the schemas of kinds are made of. The whole library, as one value, would be in every bundle. */
export const faultFields = {
  faultSchema,
  array: z.array,
  choice: z.enum,
  int: z.int,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  union: z.union,
  duration,
  headerValue,
  json,
  message,
  stage,
  valuesMean,
}
