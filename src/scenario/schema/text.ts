import * as z from 'zod'
import { DURATION, isDuration } from '../../text/duration.js'

/** Texts of a scenario that mean more than their letters. They stay texts; who uses one reads it. */

const EXPECTED = `expected ${DURATION}`

export const duration = z
  .string({ error: EXPECTED })
  .refine(isDuration, { error: EXPECTED })
  .describe('A duration such as 250ms, 10s, 5m or 1h30m')

export const glob = z.string().min(1)

/** One glob, or several of which one must fit. */
export const globs = z.union([glob, z.array(glob).min(1)], {
  error: 'expected a text such as poet*, or a list of such texts',
})

/** A regular expression or a formula, unread: reading one takes time and memory by its length. */
export const unread = z
  .string()
  .max(1000, { error: 'expected at most 1000 characters', abort: true })

/** What may stand in the value of a header, and would not end it. */
export const headerValue = z
  .string()
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected the value of a header, without line breaks')

/** A function, which only a scenario written in TypeScript can hold. */
export function code<F extends (...args: never[]) => unknown>(): z.ZodType<F, F> {
  return z.custom<F>((value) => typeof value === 'function', { error: 'expected a function' })
}
