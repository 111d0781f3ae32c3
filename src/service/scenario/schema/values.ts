import * as z from 'zod'

/** Values that many fields of a scenario have. */

export const flag = z.boolean()

export const anyText = z.string()

export const nonEmptyText = z.string().min(1)

/** A whole number from 0 on. */
export const natural = z.int().nonnegative()

/** A whole number from 1 on. */
export const positive = z.int().positive()

/** A part of a whole, from 0 to 1. */
export const share = z.number().min(0).max(1)

/** The HTTP status of an error. */
export const errorStatus = z.int().min(400).max(599)

export const json: z.ZodType<Json, Json> = z.json()
type Json = z.infer<ReturnType<typeof z.json>>

/** A note for people, such as this example. */
export const note = (example: string): z.ZodOptional<z.ZodString> =>
  anyText
    .optional()
    .meta({ description: 'A note for people. It has no effect.', examples: [example] })

/** A function. Only scenarios in TypeScript can have one. */
export function code<F extends (...args: never[]) => unknown>(): z.ZodType<F, F> {
  return z.custom<F>((value) => typeof value === 'function', { error: 'expected a function' })
}
