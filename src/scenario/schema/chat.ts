import * as z from 'zod'
import type { ChatFacts } from '../chat-facts.js'
import { findPatternProblem } from '../../text/pattern.js'
import { findTemplateProblem } from '../chat-template.js'
import { bounds, condition } from './condition.js'
import { curve } from './curve.js'
import { code, duration, globs, unread } from './text.js'

const pattern = unread
  .min(1)
  .superRefine((text, context) => {
    const message = findPatternProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .describe('A regular expression in RE2 syntax. (?i) at the beginning ignores case')

const text = z
  .union(
    [
      z.string().min(1).describe('A part of the text'),
      z.strictObject({ is: z.string() }).describe('The whole text'),
      z.strictObject({ matches: pattern }),
    ],
    { error: 'expected a text, { is: a whole text } or { matches: a regular expression }' },
  )
  .describe('A part of the text, { is: the whole text }, or { matches: a regular expression }')

const number = z.union([z.int().nonnegative(), bounds])

const match = z
  .union([
    z.strictObject({
      model: globs.optional().describe("A glob on the model's name, or on the base model's id"),
      step: number
        .optional()
        .describe('The step of the checkpoint that answers. 0 for a base model'),
      user: text.optional().describe('The last user message'),
      system: text.optional().describe('The system message'),
      turn: number.optional().describe('The number of user messages so far'),
      tools: z
        .union([z.boolean(), globs])
        .optional()
        .describe('true: the request offers tools; a glob: it offers a tool of that name'),
      headers: z.record(z.string().toLowerCase(), condition).optional(),
    }),
    code<(request: ChatFacts) => boolean>(),
  ])
  .default({})

const template = z
  .string()
  .superRefine((written, context) => {
    const message = findTemplateProblem(written)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .describe(
    'Placeholders: {{user}}, {{system}}, {{model}}, {{name}}, {{step}}, {{turn}}, {{match.1}}',
  )

const json: z.ZodType<Json, Json> = z.json()
type Json = z.infer<ReturnType<typeof z.json>>

const said = z.union(
  [
    template,
    z.strictObject({
      content: template.optional(),
      tool_calls: z
        .array(
          z.strictObject({
            name: z.string().min(1),
            arguments: z
              .union([template, z.record(z.string(), json)])
              .optional()
              .describe("Default: random values that match the tool's schema"),
          }),
        )
        .min(1)
        .optional(),
      refusal: template.optional(),
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).optional(),
    }),
    z
      .strictObject({
        error: z.int().min(400).max(599),
        message: z.string().optional().describe('Default: what the real host says for that status'),
        retry_after: duration.optional(),
      })
      .describe('Refuses the request with this status'),
  ],
  { error: 'expected a text, or an object with content, tool_calls, refusal or error' },
)

const answer = z.union([said, code<(request: ChatFacts) => SaidInput | Promise<SaidInput>>()], {
  error: 'expected a text, or an object with content, tool_calls, refusal or error',
})

type SaidInput = z.input<typeof said>

const policy = z
  .strictObject({
    better: z
      .union([said, z.array(said).min(1)])
      .describe('From a list, one is chosen at random (seeded)'),
    worse: z.union([said, z.array(said).min(1)]),
    chance: curve.describe(
      'The probability of the better answer, as a curve over checkpoint steps',
    ),
    steps: z
      .int()
      .positive()
      .default(10)
      .describe('The number of steps after which the curve reaches its end'),
    learns_from: z
      .enum(['steps', 'rewards'])
      .default('steps')
      .describe('rewards: a step counts only if the rewards of at least one group differ'),
  })
  .describe('A policy that gets better or worse as it is trained')

const pace = z
  .strictObject({
    first_token: duration.prefault('0'),
    tokens_per_second: z.number().positive().optional().describe('Default: all tokens at once'),
    jitter: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('Each wait varies by up to this share (seeded)'),
  })
  .describe("How fast answers arrive, on the emulator's clock")

const rule = z
  .strictObject({
    description: z.string().optional(),
    match,
    answer: answer.optional(),
    answers: z
      .array(answer)
      .min(1)
      .optional()
      .describe('Given one after the other. The last one repeats'),
    repeat: z
      .boolean()
      .default(false)
      .describe('Starts again with the first of `answers` after the last'),
    policy: policy.optional(),
    pace: pace.optional(),
  })
  .superRefine(({ answer: one, answers, policy: learning }, context) => {
    const given = [one, answers, learning].filter((each) => each !== undefined).length
    if (given === 1) return
    context.addIssue({ code: 'custom', message: 'expected one of answer, answers and policy' })
  })

/** Each chat may have to check all of them. */
const MOST_RULES = 10_000

export const chat = z
  .strictObject({
    rules: z
      .array(rule)
      .max(MOST_RULES, { error: `expected at most ${MOST_RULES} of them` })
      .default([])
      .describe('The first rule that matches a chat answers it'),
    pace: pace.optional(),
    concurrency: z
      .int()
      .positive()
      .optional()
      .describe('The most chats at once for each project. Further ones get 429'),
  })
  .prefault({})
