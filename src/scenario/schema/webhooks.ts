import * as z from 'zod'
import { findPatternProblem } from '../../text/pattern.js'
import { adversary } from './adversary.js'
import { duration, globs, headerValue, unread } from './text.js'

const secretName = z
  .string()
  .regex(/^[A-Za-z_]\w*$/, 'expected a name of letters, digits and underscores')

export const secrets = z
  .record(secretName, z.string())
  .describe('The secrets of the team, by name. Webhooks refer to them by name')

/** The service supports one secret of each kind. People try a list, so the error says so. */
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
    .default('X-Service-Signature'),
  encoding: z.enum(['hex', 'base64']).default('hex'),
  prefix: headerValue.default('').describe('Text before the signature, such as sha256='),
  standard: z
    .boolean()
    .default(false)
    .describe('Also sends the timestamped signature of Standard Webhooks'),
  timestamps: z
    .enum(['wall', 'clock'])
    .default('wall')
    .describe('The clock of the timestamped signature, which receivers compare with their own'),
})

const MOST_RETRIES = 100

export const webhook = z.strictObject({
  name: z.string().min(1),
  url: receiverUrl.optional().describe("Default: the `--webhook` URL, or the test's sink"),
  access_token: oneSecret('access token').optional().describe('Sent as Authorization: Bearer'),
  secret: oneSecret('other secret').optional().describe('Signs the body'),
  signature: signature.prefault({}),
  timeout: duration.prefault('10s').describe('The timeout of an attempt, in real time'),
  retries: z
    .array(duration)
    .max(MOST_RETRIES)
    .default([])
    .describe('The wait after each failed attempt, before the next one'),
  adversary: z.array(adversary).default([]).describe('What goes wrong with deliveries'),
})

const expression = unread
  .refine((text) => findPatternProblem(text) === undefined, {
    error: 'expected a regular expression in RE2 syntax',
  })
  .describe('A regular expression (RE2) that matches anywhere in the text')

const scope = z
  .strictObject({
    registry: globs
      .optional()
      .describe('All collections of these registries, including later ones'),
    project: globs.optional().describe('All collections of these projects'),
    entity: globs.optional(),
  })
  .refine(({ registry, project }) => registry === undefined || project === undefined, {
    error: 'expected a registry or a project, not both',
  })

const rule = {
  name: z.string().min(1),
  webhook: z.string().min(1).describe('The name of the webhook to call'),
  scope: scope.prefault({}).describe('Default: everything'),
  payload: z
    .union([z.string(), z.record(z.string(), z.json())], {
      error: 'expected a map, or JSON as text, with variables such as ${alias}',
    })
    .default({})
    .describe('JSON with variables such as ${alias}'),
  description: z.string().optional(),
}

const run = z
  .strictObject({
    user: z.string().optional().describe('Only runs that this user submitted'),
    name: expression.optional().describe('Only runs whose name matches this regular expression'),
  })
  .prefault({})

const once = z
  .boolean()
  .default(false)
  .describe('Fires at most once per run in 24 hours, as the service does')

/** The most values of a metric that are compared: each gradient step reads all of them. */
const MOST_COMPARED = 1000

const ofRun = { ...rule, run, once_per_run_per_day: once }
const aggregate = z.enum(['average', 'min', 'max']).default('average')
const size = z.int().positive().max(MOST_COMPARED)

export const automation = z.discriminatedUnion('event', [
  z.strictObject({ event: z.literal('CREATE_ARTIFACT'), ...rule }),
  z.strictObject({ event: z.literal('LINK_ARTIFACT'), ...rule }),
  z.strictObject({
    event: z.literal('ADD_ARTIFACT_ALIAS'),
    ...rule,
    alias: expression.optional(),
  }),
  z.strictObject({ event: z.literal('ADD_ARTIFACT_TAG'), ...rule, tag: expression.optional() }),
  z.strictObject({
    event: z.literal('RUN_METRIC'),
    ...ofRun,
    metric: z.string().min(1),
    window: size.default(5).describe('The number of latest values to aggregate'),
    aggregate,
    is: z.enum(['above', 'at_least', 'below', 'at_most', 'equal', 'not_equal']),
    threshold: z.number(),
  }),
  z.strictObject({
    event: z.literal('RUN_METRIC_CHANGE'),
    ...ofRun,
    metric: z.string().min(1),
    window: size.default(10).describe('The number of latest values to aggregate'),
    prior: size.default(50).describe('The number of values before those, to compare with'),
    aggregate,
    change: z.enum(['relative', 'absolute']).default('relative'),
    direction: z.enum(['increase', 'decrease', 'either']).default('either'),
    by: z
      .number()
      .nonnegative()
      .describe('The smallest change. 0.1 is a tenth if `change` is relative'),
  }),
  z.strictObject({
    event: z.literal('RUN_STATE'),
    ...ofRun,
    states: z
      .array(z.enum(['running', 'finished', 'failed']))
      .min(1)
      .default(['running', 'finished', 'failed']),
  }),
])

/** What can be added while the emulator runs. */
export const webhookParts = z.strictObject({
  secrets: secrets.default({}),
  webhooks: z.array(webhook).default([]),
  automations: z.array(automation).default([]),
})
