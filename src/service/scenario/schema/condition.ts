import * as z from 'zod'

const bound = z.number().optional()

export const bounds = z
  .strictObject({
    above: bound.meta({ description: 'The number is greater than this.', examples: [0] }),
    below: bound.meta({ description: 'The number is less than this.', examples: [1] }),
    at_least: bound.meta({
      description: 'The number is greater than or equal to this.',
      examples: [2],
    }),
    at_most: bound.meta({
      description: 'The number is less than or equal to this.',
      examples: [10],
    }),
  })
  .refine((limits) => Object.keys(limits).length > 0, {
    error: 'expected above, below, at_least or at_most',
  })
  .meta({
    title: 'Bounds',
    description: 'Bounds of a number. It must be within all of them.',
    examples: [{ above: 0 }, { at_least: 2, below: 5 }],
  })

export const condition = z
  .union([z.string(), z.number(), z.boolean(), z.null(), bounds], {
    error: 'expected a value, a glob, or bounds such as { above: 0.5 }',
  })
  .meta({
    title: 'Condition',
    description:
      'A value to be equal to, a glob such as poet* for a text, or bounds such as { above: 0.5 } for a number.',
    examples: ['poet*', 4, { above: 0.5 }],
  })

export const conditions = z.record(z.string(), condition)

/** Conditions on the headers of a request. */
export function headerConditions(
  example: Readonly<Record<string, string>>,
): z.ZodOptional<z.ZodRecord<z.ZodString, typeof condition>> {
  return z
    .record(z.string().toLowerCase(), condition)
    .optional()
    .meta({
      description: 'Conditions on headers of the request, by name. All of them must match.',
      examples: [example],
    })
}
