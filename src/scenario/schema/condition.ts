import * as z from 'zod'

/** Bounds of a number. */
export const bounds = z
  .strictObject({
    above: z.number().optional(),
    below: z.number().optional(),
    at_least: z.number().optional(),
    at_most: z.number().optional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: 'expected above, below, at_least or at_most',
  })

/** What a value must be: equal, a text that matches a glob, or a number within bounds. */
export const condition = z
  .union([z.string(), z.number(), z.boolean(), z.null(), bounds], {
    error: 'expected a value, a glob, or bounds such as { above: 0.5 }',
  })
  .describe('A value, a glob for a text, or bounds for a number')

export const conditions = z.record(z.string(), condition)
