import * as z from 'zod'

export const bounds = z
  .strictObject({
    above: z.number().optional().describe('The number is greater than this.'),
    below: z.number().optional().describe('The number is less than this.'),
    at_least: z.number().optional().describe('The number is greater than or equal to this.'),
    at_most: z.number().optional().describe('The number is less than or equal to this.'),
  })
  .refine((limits) => Object.keys(limits).length > 0, {
    error: 'expected above, below, at_least or at_most',
  })
  .describe('Bounds of a number. It must be within all of them.')

export const condition = z
  .union([z.string(), z.number(), z.boolean(), z.null(), bounds], {
    error: 'expected a value, a glob, or bounds such as { above: 0.5 }',
  })
  .describe(
    'A value to be equal to, a glob such as poet* for a text, or bounds such as { above: 0.5 } for a number.',
  )

export const conditions = z.record(z.string(), condition)
