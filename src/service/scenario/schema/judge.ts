import * as z from 'zod'
import { didYouMean } from '../../../base/text/nearest.js'
import { calls } from './fault-fields.js'
import { globs } from './text.js'
import { textMatch } from './text-match.js'
import { code, note, share, tooMany } from './values.js'

/** A text that a judge scores, as the functions of a judge rule get it. */
export interface JudgedText {
  /** The id of the text in the prompt. Empty if the request asks for one score. */
  id: string
  /** The whole text. */
  text: string
  /** What the model said last, if the text is a list of messages. Otherwise the whole text. */
  answer: string
  /** The `model` of the request. */
  model: string
}

export const judgeMistakes = [
  'wrong_count',
  'unknown_ids',
  'duplicate_ids',
  'out_of_range',
  'not_json',
  'fenced',
  'refusal',
  'missing_field',
] as const

const mistake = z.enum(judgeMistakes)

/** Each judged text may have to be compared with all rules. */
const MOST_RULES = 10_000

const settings = z
  .strictObject({
    models: globs.optional().meta({
      description:
        'The model names that are judges: a glob such as judge*, or a list of globs. Such a name is answered even if there is no such model. Default: any name, for requests that ask for the scores of several texts, and any that is not trained here, for those that ask for one.',
      examples: ['judge*'],
    }),
    rules: z
      .array(
        z.strictObject({
          description: note('Short poems score low.'),
          match: z
            .union([textMatch, code<(judged: JudgedText) => boolean>()])
            .optional()
            .meta({
              description:
                'The judged text: a part of it, { is: the whole text }, or { matches: a regular expression }. Of a list of messages, the last message of the model can match too. Default: any text.',
              examples: ['rose', { matches: '^.{0,40}$' }],
            }),
          score: z.union([z.number(), code<(judged: JudgedText) => number>()]).meta({
            description: 'The score, in the unit of the request. Most judges score from 0 to 1.',
            examples: [0.2],
          }),
        }),
      )
      .max(MOST_RULES, tooMany(MOST_RULES))
      .default([])
      .meta({
        description:
          'The rules for scores. The first one that matches a text decides its score. If none matches, the seed and the text decide it.',
        examples: [[{ match: 'rose', score: 0.9 }, { score: 0.1 }]],
      }),
    mistake: z
      .union([mistake, z.array(mistake).min(1)], {
        error: ({ input }) => {
          const hint = typeof input === 'string' ? didYouMean(input, judgeMistakes) : ''
          return `expected one of ${judgeMistakes.join(', ')}, or a list of them.${hint}`.trimEnd()
        },
      })
      .optional()
      .meta({
        description:
          'What is wrong with the answers of the judge. From a list, the wrong answers take turns. Default: nothing.',
        examples: ['not_json', ['wrong_count', 'refusal']],
      }),
    calls: calls.optional().meta({
      description:
        'Which calls of the judge have the mistake, counted from 1: a number, a list of numbers, or a range such as { from: 1, to: 3 }. Default: all.',
      examples: [2, { every: 2 }],
    }),
    probability: share.optional().meta({
      description: 'The probability, from 0 to 1, that such a call has the mistake. Default: 1.',
      examples: [0.5],
    }),
  })
  .describe('How a judge scores texts.')
  .superRefine((judging, context) => {
    if (judging.mistake !== undefined) return
    for (const key of ['calls', 'probability'] as const) {
      if (judging[key] === undefined) continue
      const message = `expected no ${key} without a mistake. Add \`mistake\`, such as wrong_count`
      context.addIssue({ code: 'custom', path: [key], message })
    }
  })

export const judge = z
  .union([z.literal(false), settings], {
    error: 'expected false, or a map with models, rules and mistake',
  })
  .optional()
  .meta({
    description:
      'How requests are answered that ask a model to score texts. false: like all other chats. Default: with seeded scores.',
    examples: [false, { models: 'judge*', rules: [{ score: 0.5 }] }],
  })
