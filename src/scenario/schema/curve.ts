import * as z from 'zod'
import { findFormulaProblem, type CurvePlace } from '../../text/formula.js'
import { code, unread } from './text.js'

const noise = z.number().nonnegative().optional().describe('Standard deviation of seeded noise')
const share = z.number().min(0).max(1)

const between = { from: z.number(), to: z.number(), noise }

const formula = unread
  .superRefine((text, context) => {
    const message = findFormulaProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  })
  .describe('A formula of step (from 1), of (the number of steps) and progress (0 to 1)')

const named = z.discriminatedUnion('curve', [
  z.strictObject({ curve: z.literal('constant'), value: z.number(), noise }),
  z.strictObject({ curve: z.literal('linear'), ...between }),
  z.strictObject({ curve: z.literal('exponential'), ...between }),
  z.strictObject({
    curve: z.literal('sigmoid'),
    ...between,
    midpoint: z
      .number()
      .default(0.5)
      .describe('Where the value is half-way, as a share of the steps'),
    steepness: z.number().positive().default(10),
  }),
  z.strictObject({ curve: z.literal('cosine'), ...between }),
  z.strictObject({
    curve: z.literal('step'),
    ...between,
    at: z.int().positive().describe('The first gradient step that has the value `to`'),
  }),
  z.strictObject({
    curve: z.literal('plateau'),
    ...between,
    by: share
      .default(0.3)
      .describe('When the value reaches `to`, as a share of the steps. Then it stays there'),
  }),
  z.strictObject({
    curve: z.literal('diverge'),
    ...between,
    at: share
      .default(0.5)
      .describe(
        'When the value starts to grow, as a share of the steps. Before, it approaches `to`',
      ),
    peak: z.number().default(1e6).describe('The value at the last step'),
  }),
  z.strictObject({
    curve: z.literal('list'),
    values: z.array(z.number()).min(1).describe('The last value repeats'),
    noise,
  }),
  z.strictObject({ curve: z.literal('formula'), formula, noise }),
])

export const curve = z
  .union([z.number(), named, code<(place: CurvePlace) => number>()], {
    error: 'expected a number or a curve such as { curve: linear, from: 1, to: 0 }',
  })
  .describe('The values of a metric over the steps of a job')
