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
  .describe('A regular expression as RE2 has it; (?i) at its beginning ignores case')

const text = z
  .union(
    [
      z.string().min(1).describe('Is part of the text'),
      z.strictObject({ is: z.string() }).describe('Is the whole text'),
      z.strictObject({ matches: pattern }),
    ],
    { error: 'expected a text, { is: a whole text } or { matches: a regular expression }' },
  )
  .describe('A part of the text, { is: all of it }, or { matches: a regular expression }')

const number = z.union([z.int().nonnegative(), bounds])

const match = z
  .union([
    z.strictObject({
      model: globs.optional().describe("A glob on the model's name, or on the base model's id"),
      step: number.optional().describe('Of the checkpoint that answers; a base model has 0'),
      user: text.optional().describe('The last user message'),
      system: text.optional().describe('The system message'),
      turn: number.optional().describe('1 where there is one user message so far'),
      tools: z
        .union([z.boolean(), globs])
        .optional()
        .describe('Whether any are offered, or one of that name'),
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
  .describe('May hold {{user}}, {{system}}, {{model}}, {{name}}, {{step}}, {{turn}}, {{match.1}}')

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
              .describe("Default: drawn, so that they satisfy the tool's schema"),
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
        message: z.string().optional().describe("Default: the real host's words for that status"),
        retry_after: duration.optional(),
      })
      .describe('Refused with that status'),
  ],
  { error: 'expected a text, or what is said: content, tool_calls, refusal or error' },
)

const answer = z.union([said, code<(request: ChatFacts) => SaidInput | Promise<SaidInput>>()], {
  error: 'expected a text, or what is said: content, tool_calls, refusal or error',
})

type SaidInput = z.input<typeof said>

const policy = z
  .strictObject({
    better: z.union([said, z.array(said).min(1)]).describe('One of several is drawn'),
    worse: z.union([said, z.array(said).min(1)]),
    chance: curve.describe('Of the better one: its course over the steps of the checkpoints'),
    steps: z.int().positive().default(10).describe('How many steps the course of the chance takes'),
    learns_from: z
      .enum(['steps', 'rewards'])
      .default('steps')
      .describe('rewards: a step counts only where the rewards of some group differed'),
  })
  .describe('A policy that learns, or forgets, as it is trained')

const pace = z
  .strictObject({
    first_token: duration.prefault('0'),
    tokens_per_second: z.number().positive().optional().describe('Default: all at once'),
    jitter: z.number().min(0).max(1).default(0).describe('Each wait varies by this share; seeded'),
  })
  .describe('How fast answers come, on the clock of the emulator')

const rule = z
  .strictObject({
    description: z.string().optional(),
    match,
    answer: answer.optional(),
    answers: z.array(answer).min(1).optional().describe('One after the other; the last one stays'),
    repeat: z.boolean().default(false).describe('After the last of `answers`, the first again'),
    policy: policy.optional(),
    pace: pace.optional(),
  })
  .superRefine(({ answer: one, answers, policy: learning }, context) => {
    const given = [one, answers, learning].filter((each) => each !== undefined).length
    if (given === 1) return
    context.addIssue({ code: 'custom', message: 'expected one of answer, answers and policy' })
  })

/** Each chat looks at all of them. */
const MOST_RULES = 10_000

export const chat = z
  .strictObject({
    rules: z
      .array(rule)
      .max(MOST_RULES, { error: `expected at most ${MOST_RULES} of them` })
      .default([])
      .describe('A chat is answered by the first that matches it'),
    pace: pace.optional(),
    concurrency: z
      .int()
      .positive()
      .optional()
      .describe('So many chats at once for each project; one more is answered with 429'),
  })
  .prefault({})
