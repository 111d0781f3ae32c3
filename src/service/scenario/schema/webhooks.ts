import * as z from 'zod'
import { webUrl } from '../../../base/text/options.js'
import { findPatternProblem } from '../../../base/text/pattern.js'
import { MOST_COMPARED } from '../most-compared.js'
import { plainWebhook } from '../plain-webhook.js'
import { RUN_STATES } from '../run-states.js'
import { mayNameSecret, SECRET_NAME, SECRET_NAME_WORDS } from '../secret-name.js'
import { adversary } from './adversary.js'
import { duration, globs, headerValue, limitedText, reporting } from './text.js'
import { kindsBy } from './kinds-by.js'
import { anyText, flag, nonEmptyText, note, positive, tooMany, valuesMean } from './values.js'

const secretName = z
  .string()
  .regex(SECRET_NAME, `expected ${SECRET_NAME_WORDS}`)
  .refine(mayNameSecret, { error: `expected ${SECRET_NAME_WORDS}`, abort: true })

export const secrets = z.record(secretName, nonEmptyText).meta({
  description:
    'The secrets of the team. The key is the name by which webhooks refer to the secret.',
  examples: [{ WEBHOOK_SECRET: 'keep-me-secret' }],
})

/** The service supports only one secret of each kind. The error says so, because people try a list. */
function oneSecret(what: string) {
  return z
    .string({ error: `expected the name of one secret: a webhook has at most one ${what}` })
    .min(1)
}

export const receiverUrl = z
  .string()
  .regex(/^https?:\/\/[^/]/i, `expected ${webUrl.expected}`)
  .refine((text) => URL.canParse(text), { error: 'expected a URL' })

const { signature: usual } = plainWebhook

const signature = z.strictObject({
  header: z
    .string()
    .regex(/^[\w-]+$/, 'expected the name of a header')
    .default(usual.header)
    .meta({
      description: 'The name of the header that has the signature.',
      examples: ['X-Hub-Signature-256'],
    }),
  encoding: z
    .enum(['hex', 'base64'])
    .default(usual.encoding)
    .meta({ description: 'How the signature is written.', examples: ['base64'] }),
  prefix: headerValue
    .default(usual.prefix)
    .meta({ description: 'A text before the signature, such as sha256=.', examples: ['sha256='] }),
  standard: flag.default(usual.standard).meta({
    description: 'Whether deliveries also have the headers of Standard Webhooks.',
    examples: [true],
  }),
  timestamps: z
    .enum(['wall', 'clock'])
    .default(usual.timestamps)
    .meta({
      ...valuesMean('The clock of the timestamp in the Standard Webhooks headers.', {
        wall: 'real time, which receivers compare with their own clock',
        clock: 'the clock of the emulator',
      }),
      examples: ['clock'],
    }),
})

const MOST_RETRIES = 100

export const webhook = z.strictObject({
  name: nonEmptyText.meta({
    description: 'The name by which automations refer to the webhook.',
    examples: ['deploy'],
  }),
  url: receiverUrl.optional().meta({
    description:
      'The URL of the receiver. Default: the URL of the --webhook flag, or the webhook sink of the test.',
    examples: ['http://127.0.0.1:8080/hooks'],
  }),
  entity: nonEmptyText.optional().meta({
    description:
      'The team that the webhook belongs to. Programs of other teams do not see it. Default: all teams see it.',
    examples: ['research'],
  }),
  access_token: oneSecret('access token')
    .optional()
    .meta({
      description: 'The name of the secret that is sent as `Authorization: Bearer`. Default: none.',
      examples: ['ACCESS_TOKEN'],
    }),
  secret: oneSecret('other secret')
    .optional()
    .meta({
      description:
        'The name of the secret that signs the body. Default: deliveries are not signed.',
      examples: ['WEBHOOK_SECRET'],
    }),
  signature: signature.prefault({}).meta({
    description: 'The form of the signature.',
    examples: [{ header: 'X-Hub-Signature-256', prefix: 'sha256=' }],
  }),
  timeout: duration.prefault(plainWebhook.timeout).meta({
    description: 'How long an attempt may take in real time, such as 10s.',
    examples: ['2s'],
  }),
  retries: z
    .array(duration)
    .max(MOST_RETRIES, tooMany(MOST_RETRIES))
    .default(plainWebhook.retries)
    .meta({
      description:
        'The times between a failed attempt and the next one, such as [1s, 10s]. One attempt follows each. Default: no retries.',
      examples: [['1s', '10s']],
    }),
  adversary: z
    .array(adversary)
    .default(plainWebhook.adversary)
    .meta({
      description: 'What goes wrong with deliveries.',
      examples: [[{ do: 'duplicate', deliveries: 2 }]],
    }),
})

const expression = limitedText.superRefine(reporting(findPatternProblem))

/** Describes an optional regular expression that restricts an automation. */
const only = (what: string) =>
  expression.optional().meta({
    description: `Fires only if ${what} matches this regular expression (RE2 syntax, found anywhere in the text). Default: any text.`,
    examples: ['^prod'],
  })

const scope = z
  .strictObject({
    registry: globs.optional().meta({
      description:
        'All collections of these registries, including later ones: a glob, or a list of globs.',
      examples: ['models'],
    }),
    project: globs.optional().meta({
      description: 'All collections of these projects: a glob, or a list of globs.',
      examples: ['verse*'],
    }),
    entity: globs.optional().meta({
      description: 'Only those of these entities (teams or users): a glob, or a list of globs.',
      examples: ['research'],
    }),
    collection: globs.optional().meta({
      description: 'Only artifacts with these names: globs.',
      examples: ['poet*'],
    }),
  })
  .refine(({ registry, project }) => registry === undefined || project === undefined, {
    error: 'expected a registry or a project, not both',
  })

const rule = {
  name: nonEmptyText.meta({
    description: 'The name of the automation.',
    examples: ['deploy-production'],
  }),
  webhook: nonEmptyText.meta({
    description: 'The name of the webhook that is called.',
    examples: ['deploy'],
  }),
  scope: scope.prefault({}).meta({
    description: 'The collections whose events fire the automation. Default: all collections.',
    examples: [{ registry: 'models' }],
  }),
  payload: z
    .union([z.string(), z.record(z.string(), z.json())], {
      error: 'expected a map, or JSON as text, with variables such as ${alias}',
    })
    .default({})
    .meta({
      description: 'The body: a map, or JSON as text, with variables such as ${alias}.',
      examples: [{ version: '${artifact_version}' }],
    }),
  enabled: flag
    .optional()
    .meta({ description: 'Whether it fires. Default: true.', examples: [false] }),
  description: note('Deploys the model.'),
}

const tagRule = { ...rule, tag: only('the tag') }

const runRule = {
  ...rule,
  run: z
    .strictObject({
      user: anyText.optional().meta({
        description: 'Only runs that this user created. Default: any user.',
        examples: ['ada'],
      }),
      name: only('the name of the run'),
    })
    .prefault({})
    .meta({
      description: 'The runs whose events fire the automation. Default: all runs.',
      examples: [{ name: '^poet' }],
    }),
  once_per_run_per_day: flag.default(false).meta({
    description: 'Whether it fires at most once for each run in 24 hours, as the service does.',
    examples: [true],
  }),
}

const metric = nonEmptyText.meta({
  description: 'The name of the metric, such as loss or train.loss.',
  examples: ['loss'],
})
const aggregate = z
  .enum(['average', 'min', 'max'])
  .default('average')
  .meta({ description: 'How several values become one.', examples: ['max'] })
const size = positive.max(MOST_COMPARED)
const direction = z
  .enum(['increase', 'decrease', 'either'])
  .default('either')
  .meta({ description: 'The direction of the change.', examples: ['decrease'] })

const firesOn = kindsBy('event', {})

export const automation = z.discriminatedUnion('event', [
  firesOn('CREATE_ARTIFACT', 'Fires when a version of an artifact is added.', rule),
  firesOn('LINK_ARTIFACT', 'Fires when an artifact is linked to a registry.', rule),
  firesOn('UNLINK_ARTIFACT', 'Fires when a link of an artifact to a registry ends.', rule),
  firesOn('ADD_ARTIFACT_ALIAS', 'Fires when an artifact gets an alias.', {
    ...rule,
    alias: only('the alias'),
  }),
  firesOn('ADD_ARTIFACT_TAG', 'Fires when an artifact gets a tag.', tagRule),
  firesOn('REMOVE_ARTIFACT_TAG', 'Fires when an artifact loses a tag.', tagRule),
  firesOn('ADD_COLLECTION_TAG', 'Fires when a collection gets a tag.', tagRule),
  firesOn('REMOVE_COLLECTION_TAG', 'Fires when a collection loses a tag.', tagRule),
  firesOn(
    'RUN_METRIC',
    'Fires at each step at which the metric compares with the threshold as `is` says.',
    {
      ...runRule,
      metric,
      window: size
        .default(5)
        .meta({ description: 'The number of latest values that are aggregated.', examples: [3] }),
      aggregate,
      is: z.enum(['above', 'at_least', 'below', 'at_most', 'equal', 'not_equal']).meta({
        description: 'How the aggregated value compares with the threshold.',
        examples: ['above'],
      }),
      threshold: z.number().meta({
        description: 'The number that the aggregated value is compared with.',
        examples: [2.5],
      }),
    },
  ),
  firesOn('RUN_METRIC_CHANGE', 'Fires at each step at which the metric has changed enough.', {
    ...runRule,
    metric,
    window: size
      .default(10)
      .meta({ description: 'The number of latest values that are aggregated.', examples: [3] }),
    prior: size.default(50).meta({
      description: 'The number of values before them that they are compared with.',
      examples: [10],
    }),
    aggregate,
    change: z
      .enum(['relative', 'absolute'])
      .default('relative')
      .meta({
        description: 'Whether `by` is a share of the earlier value, or a difference.',
        examples: ['absolute'],
      }),
    direction,
    by: z
      .number()
      .nonnegative()
      .meta({
        description: 'The smallest change that counts. 0.1 is a tenth if `change` is relative.',
        examples: [0.1],
      }),
  }),
  firesOn(
    'RUN_METRIC_ZSCORE',
    'Fires at each step at which the metric is far from its earlier values.',
    {
      ...runRule,
      metric,
      window: size.default(30).meta({
        description: 'The number of earlier values. Nothing fires before there are as many.',
        examples: [10],
      }),
      threshold: z
        .number()
        .positive()
        .default(3)
        .meta({
          description:
            'The smallest distance from the mean of the earlier values, in standard deviations.',
          examples: [2],
        }),
      direction,
    },
  ),
  firesOn('RUN_STATE', 'Fires when a job or a run starts, ends or fails.', {
    ...runRule,
    states: z
      .array(z.enum(RUN_STATES))
      .min(1)
      .default(['running', 'finished', 'failed'])
      .meta({
        description: 'The states of a run that fire the automation.',
        examples: [['failed']],
      }),
  }),
])

export const automationLimits = z.strictObject({
  cooldown: duration.optional().meta({
    description: 'How long an automation skips events after it fired. Default: not at all.',
    examples: ['5m'],
  }),
  rate: z
    .strictObject({
      firings: positive.max(MOST_COMPARED).meta({
        description: 'The most firings of one automation in that time.',
        examples: [10],
      }),
      within: duration.meta({ description: 'The time that is looked at.', examples: ['1h'] }),
    })
    .optional()
    .meta({
      description: 'How often an automation may fire in a time. Default: any number of times.',
      examples: [{ firings: 10, within: '1h' }],
    }),
})

/** The parts of a scenario that can be added while the emulator runs. */
export const webhookParts = z.strictObject({
  secrets: secrets.default({}),
  webhooks: z.array(webhook).default([]),
  automations: z.array(automation).default([]),
})
