import * as z from 'zod'
import { findFormulaProblem, type CurvePlace } from '../../../base/text/formula.js'
import { kindsBy } from './kinds-by.js'
import { limitedText, reporting } from './text.js'
import { code, positive, share } from './values.js'

const noise = z
  .number()
  .nonnegative()
  .optional()
  .meta({
    description:
      'The standard deviation of the noise that is added to each value. The seed decides the noise. Default: no noise.',
    examples: [0.05],
  })
const between = {
  from: z.number().meta({ description: 'The value at the first step.', examples: [2] }),
  to: z
    .number()
    .meta({ description: 'The value that the curve reaches or approaches.', examples: [0.3] }),
  noise,
}

const formula = limitedText.superRefine(reporting(findFormulaProblem)).meta({
  description:
    'The formula, such as 1 / (1 + 0.1 * step). Its variables are step (from 1), of (the number of steps) and progress (0 at the first step, 1 at the last).',
  examples: ['1 / (1 + 0.1 * step)'],
})

const curveCalled = kindsBy('curve', {})

const named = z.discriminatedUnion('curve', [
  curveCalled('constant', 'The same value at every step.', {
    value: z.number().meta({ description: 'The value at every step.', examples: [0.001] }),
    noise,
  }),
  curveCalled('linear', 'A straight line from `from` to `to`.', { ...between }),
  curveCalled(
    'exponential',
    'A curve that approaches `to`: quickly at first, and then more and more slowly.',
    { ...between },
  ),
  curveCalled('sigmoid', 'An S-shaped curve from `from` to `to`.', {
    ...between,
    midpoint: z
      .number()
      .default(0.5)
      .meta({
        description:
          'The place where the value is half-way, as a share of the steps: 0 is the first step, 1 the last.',
        examples: [0.3],
      }),
    steepness: z
      .number()
      .positive()
      .default(10)
      .meta({
        description: 'How fast the value changes at the midpoint. A larger number is faster.',
        examples: [20],
      }),
  }),
  curveCalled('cosine', 'Half a cosine wave from `from` to `to`: slow at both ends.', {
    ...between,
  }),
  curveCalled('step', 'A jump from `from` to `to`.', {
    ...between,
    at: positive.meta({
      description: 'The first gradient step, from 1, that has the value `to`.',
      examples: [5],
    }),
  }),
  curveCalled('plateau', 'A straight line that reaches `to` early and then stays there.', {
    ...between,
    by: share.default(0.3).meta({
      description:
        'The place where the value reaches `to`, as a share of the steps: 0 is the first step, 1 the last.',
      examples: [0.5],
    }),
  }),
  curveCalled(
    'diverge',
    'A curve that approaches `to` at first and then grows, faster and faster, to `peak`.',
    {
      ...between,
      at: share.default(0.5).meta({
        description:
          'The place where the value starts to grow, as a share of the steps: 0 is the first step, 1 the last.',
        examples: [0.7],
      }),
      peak: z
        .number()
        .default(1e6)
        .meta({ description: 'The value at the last step.', examples: [1000] }),
    },
  ),
  curveCalled('list', 'A list of values.', {
    values: z
      .array(z.number())
      .min(1)
      .meta({
        description: 'One value for each step. Later steps have the last value.',
        examples: [[2, 1.5, 1.2]],
      }),
    noise,
  }),
  curveCalled('formula', 'A formula of the step.', { formula, noise }),
])

export const curve = z
  .union([z.number(), named, code<(place: CurvePlace) => number>()], {
    error: 'expected a number or a curve such as { curve: linear, from: 1, to: 0 }',
  })
  .meta({
    title: 'Curve',
    description:
      'The value at each step: a number, or a curve such as { curve: linear, from: 1, to: 0 }.',
    examples: [0.5, { curve: 'exponential', from: 2, to: 0.3, noise: 0.05 }],
  })
