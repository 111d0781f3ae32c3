import * as z from 'zod'
import { findPatternProblem } from '../../../base/text/pattern.js'
import { limitedText, reporting } from './text.js'
import { anyText, nonEmptyText } from './values.js'

const pattern = limitedText
  .min(1)
  .superRefine(reporting(findPatternProblem))
  .meta({
    description:
      'A regular expression in RE2 syntax that matches anywhere in the text. (?i) at the beginning ignores case.',
    examples: ['(?i)^hello'],
  })

/** A text that a rule compares: a part of it, the whole of it, or a regular expression. */
export const textMatch = z
  .union(
    [
      nonEmptyText.describe('A part of the text.'),
      z
        .strictObject({
          is: anyText.meta({ description: 'The whole text.', examples: ['Hello!'] }),
        })
        .describe('The whole text.'),
      z.strictObject({ matches: pattern }).describe('A regular expression.'),
    ],
    { error: 'expected a text, { is: a whole text } or { matches: a regular expression }' },
  )
  .meta({
    title: 'Text match',
    description: 'A part of a text, { is: the whole text }, or { matches: a regular expression }.',
    examples: ['weather', { is: 'Hello!' }, { matches: '(?i)^hello' }],
  })

export const textOn = (what: string): z.ZodOptional<typeof textMatch> =>
  textMatch.optional().meta({
    description: `${what}: a part of it, { is: the whole text }, or { matches: a regular expression }. Default: any text.`,
    examples: ['weather', { is: 'Hello!' }, { matches: '(?i)^hello' }],
  })
