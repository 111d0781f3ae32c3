import * as z from 'zod'
import { findFormulaProblem, type CurvePlace } from '../../text/formula.js'
import { code, limitedText } from './text.js'

const noise = z
  .number()
  .nonnegative()
  .optional()
  .describe(
    'The standard deviation of the noise that is added to each value. The seed decides the noise. Default: no noise.',
  )
const share = z.number().min(0).max(1)

const between = {
  from: z.number().describe('The value at the first step.'),
  to: z.number().describe('The value that the curve reaches or approaches.'),
  noise,
}

const formula = limitedText
  .superRefine((text, context) => {
    const message = findFormulaProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .describe(
    'The formula, such as 1 / (1 + 0.1 * step). Its variables are step (from 1), of (the number of steps) and progress (0 at the first step, 1 at the last).',
  )

const named = z.discriminatedUnion('curve', [
  z
    .strictObject({
      curve: z.literal('constant'),
      value: z.number().describe('The value at every step.'),
      noise,
    })
    .describe('The same value at every step.'),
  z
    .strictObject({ curve: z.literal('linear'), ...between })
    .describe('A straight line from `from` to `to`.'),
  z
    .strictObject({ curve: z.literal('exponential'), ...between })
    .describe('A curve that approaches `to`: quickly at first, and then more and more slowly.'),
  z
    .strictObject({
      curve: z.literal('sigmoid'),
      ...between,
      midpoint: z
        .number()
        .default(0.5)
        .describe(
          'The place where the value is half-way, as a share of the steps: 0 is the first step, 1 the last.',
        ),
      steepness: z
        .number()
        .positive()
        .default(10)
        .describe('How fast the value changes at the midpoint. A larger number is faster.'),
    })
    .describe('An S-shaped curve from `from` to `to`.'),
  z
    .strictObject({ curve: z.literal('cosine'), ...between })
    .describe('Half a cosine wave from `from` to `to`: slow at both ends.'),
  z
    .strictObject({
      curve: z.literal('step'),
      ...between,
      at: z.int().positive().describe('The first gradient step, from 1, that has the value `to`.'),
    })
    .describe('A jump from `from` to `to`.'),
  z
    .strictObject({
      curve: z.literal('plateau'),
      ...between,
      by: share
        .default(0.3)
        .describe(
          'The place where the value reaches `to`, as a share of the steps: 0 is the first step, 1 the last.',
        ),
    })
    .describe('A straight line that reaches `to` early and then stays there.'),
  z
    .strictObject({
      curve: z.literal('diverge'),
      ...between,
      at: share
        .default(0.5)
        .describe(
          'The place where the value starts to grow, as a share of the steps: 0 is the first step, 1 the last.',
        ),
      peak: z.number().default(1e6).describe('The value at the last step.'),
    })
    .describe(
      'A curve that approaches `to` at first and then grows, faster and faster, to `peak`.',
    ),
  z
    .strictObject({
      curve: z.literal('list'),
      values: z
        .array(z.number())
        .min(1)
        .describe('One value for each step. Later steps have the last value.'),
      noise,
    })
    .describe('A list of values.'),
  z
    .strictObject({ curve: z.literal('formula'), formula, noise })
    .describe('A formula of the step.'),
])

export const curve = z
  .union([z.number(), named, code<(place: CurvePlace) => number>()], {
    error: 'expected a number or a curve such as { curve: linear, from: 1, to: 0 }',
  })
  .describe(
    'The value at each step: a number, or a curve such as { curve: linear, from: 1, to: 0 }.',
  )
