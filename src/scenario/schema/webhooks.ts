import * as z from 'zod'
import { findPatternProblem } from '../../text/pattern.js'
import { adversary } from './adversary.js'
import { duration, globs, headerValue, limitedText } from './text.js'

const secretName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'expected a name of letters, digits and underscores')

export const secrets = z
  .record(secretName, z.string())
  .describe('The secrets of the team. The key is the name by which webhooks refer to the secret.')

/** The service supports only one secret of each kind. The error says so, because people try a list. */
function oneSecret(what: string) {
  return z
    .string({ error: `expected the name of one secret: a webhook has at most one ${what}` })
    .min(1)
}

export const receiverUrl = z
  .string()
  .regex(/^https?:\/\/[^/]/i, 'expected a URL that begins with http:// or https://')
  .refine((text) => URL.canParse(text), { error: 'expected a URL' })

const signature = z.strictObject({
  header: z
    .string()
    .regex(/^[\w-]+$/, 'expected the name of a header')
    .default('X-Service-Signature')
    .describe('The name of the header that has the signature.'),
  encoding: z.enum(['hex', 'base64']).default('hex').describe('How the signature is written.'),
  prefix: headerValue.default('').describe('A text before the signature, such as sha256=.'),
  standard: z
    .boolean()
    .default(false)
    .describe('Whether deliveries also have the headers of Standard Webhooks.'),
  timestamps: z
    .enum(['wall', 'clock'])
    .default('wall')
    .describe(
      'The clock of the timestamp in the Standard Webhooks headers. wall: real time, which receivers compare with their own clock. clock: the clock of the emulator.',
    ),
})

const MOST_RETRIES = 100

export const webhook = z.strictObject({
  name: z.string().min(1).describe('The name by which automations refer to the webhook.'),
  url: receiverUrl
    .optional()
    .describe(
      'The URL of the receiver. Default: the URL of the --webhook flag, or the webhook sink of the test.',
    ),
  access_token: oneSecret('access token')
    .optional()
    .describe('The name of the secret that is sent as `Authorization: Bearer`. Default: none.'),
  secret: oneSecret('other secret')
    .optional()
    .describe('The name of the secret that signs the body. Default: deliveries are not signed.'),
  signature: signature.prefault({}).describe('The form of the signature.'),
  timeout: duration
    .prefault('10s')
    .describe('How long an attempt may take in real time, such as 10s.'),
  retries: z
    .array(duration)
    .max(MOST_RETRIES)
    .default([])
    .describe(
      'The times between a failed attempt and the next one, such as [1s, 10s]. One attempt follows each. Default: no retries.',
    ),
  adversary: z.array(adversary).default([]).describe('What goes wrong with deliveries.'),
})

const expression = limitedText.refine((text) => findPatternProblem(text) === undefined, {
  error: 'expected a regular expression in RE2 syntax',
})

/** Describes an optional regular expression that restricts an automation. */
const only = (what: string) =>
  expression
    .optional()
    .describe(
      `Fires only if ${what} matches this regular expression (RE2 syntax, found anywhere in the text). Default: any text.`,
    )

const scope = z
  .strictObject({
    registry: globs
      .optional()
      .describe(
        'All collections of these registries, including later ones: a glob, or a list of globs.',
      ),
    project: globs
      .optional()
      .describe('All collections of these projects: a glob, or a list of globs.'),
    entity: globs
      .optional()
      .describe('Only those of these entities (teams or users): a glob, or a list of globs.'),
  })
  .refine(({ registry, project }) => registry === undefined || project === undefined, {
    error: 'expected a registry or a project, not both',
  })

const rule = {
  name: z.string().min(1).describe('The name of the automation.'),
  webhook: z.string().min(1).describe('The name of the webhook that is called.'),
  scope: scope
    .prefault({})
    .describe('The collections whose events fire the automation. Default: all collections.'),
  payload: z
    .union([z.string(), z.record(z.string(), z.json())], {
      error: 'expected a map, or JSON as text, with variables such as ${alias}',
    })
    .default({})
    .describe('The body: a map, or JSON as text, with variables such as ${alias}.'),
  description: z.string().optional().describe('A note for people. It has no effect.'),
}

const runRule = {
  ...rule,
  run: z
    .strictObject({
      user: z
        .string()
        .optional()
        .describe('Only runs that this user submitted. Default: any user.'),
      name: only('the name of the run'),
    })
    .prefault({})
    .describe('The runs whose events fire the automation. Default: all runs.'),
  once_per_run_per_day: z
    .boolean()
    .default(false)
    .describe('Whether it fires at most once for each run in 24 hours, as the service does.'),
}

/** The most values of a metric that are compared. Each gradient step reads all of them. */
const MOST_COMPARED = 1000

const metric = z.string().min(1).describe('The name of the metric, such as loss.')
const aggregate = z
  .enum(['average', 'min', 'max'])
  .default('average')
  .describe('How several values become one.')
const size = z.int().positive().max(MOST_COMPARED)

export const automation = z.discriminatedUnion('event', [
  z
    .strictObject({ event: z.literal('CREATE_ARTIFACT'), ...rule })
    .describe('Fires when a checkpoint is added.'),
  z
    .strictObject({ event: z.literal('LINK_ARTIFACT'), ...rule })
    .describe('Fires when a checkpoint is linked to a registry.'),
  z
    .strictObject({
      event: z.literal('ADD_ARTIFACT_ALIAS'),
      ...rule,
      alias: only('the alias'),
    })
    .describe('Fires when a checkpoint gets an alias.'),
  z
    .strictObject({ event: z.literal('ADD_ARTIFACT_TAG'), ...rule, tag: only('the tag') })
    .describe('Fires when a checkpoint gets a tag.'),
  z
    .strictObject({
      event: z.literal('RUN_METRIC'),
      ...runRule,
      metric,
      window: size.default(5).describe('The number of latest values that are aggregated.'),
      aggregate,
      is: z
        .enum(['above', 'at_least', 'below', 'at_most', 'equal', 'not_equal'])
        .describe('How the aggregated value compares with the threshold.'),
      threshold: z.number().describe('The number that the aggregated value is compared with.'),
    })
    .describe(
      'Fires at each gradient step at which the metric compares with the threshold as `is` says.',
    ),
  z
    .strictObject({
      event: z.literal('RUN_METRIC_CHANGE'),
      ...runRule,
      metric,
      window: size.default(10).describe('The number of latest values that are aggregated.'),
      prior: size
        .default(50)
        .describe('The number of values before them that they are compared with.'),
      aggregate,
      change: z
        .enum(['relative', 'absolute'])
        .default('relative')
        .describe('Whether `by` is a share of the earlier value, or a difference.'),
      direction: z
        .enum(['increase', 'decrease', 'either'])
        .default('either')
        .describe('The direction of the change.'),
      by: z
        .number()
        .nonnegative()
        .describe('The smallest change that counts. 0.1 is a tenth if `change` is relative.'),
    })
    .describe('Fires at each gradient step at which the metric has changed enough.'),
  z
    .strictObject({
      event: z.literal('RUN_STATE'),
      ...runRule,
      states: z
        .array(z.enum(['running', 'finished', 'failed']))
        .min(1)
        .default(['running', 'finished', 'failed'])
        .describe('The states of a run that fire the automation.'),
    })
    .describe('Fires when a job starts, ends or fails.'),
])

/** The parts of a scenario that can be added while the emulator runs. */
export const webhookParts = z.strictObject({
  secrets: secrets.default({}),
  webhooks: z.array(webhook).default([]),
  automations: z.array(automation).default([]),
})
