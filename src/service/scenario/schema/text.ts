import * as z from 'zod'
import { DURATION, isDuration } from '../../../base/text/duration.js'
import { HEADER_VALUE } from '../../../base/text/header-value.js'

const EXPECTED = `expected ${DURATION}`

export const duration = z
  .string({ error: EXPECTED })
  .refine(isDuration, { error: EXPECTED })
  .meta({ title: 'Duration', description: 'A duration such as 250ms, 10s, 5m or 1h30m.' })

const glob = z.string().min(1).meta({ title: 'Glob' })

/** One glob, or a list of globs. One of them must match. */
export const globs = z.union([glob, z.array(glob).min(1).meta({ title: 'List of globs' })], {
  error: 'expected a text such as poet*, or a list of such texts',
})

/** The text of a regular expression or a formula. A long one would take much time and memory to parse. */
export const limitedText = z
  .string()
  .max(1000, { error: 'expected at most 1000 characters', abort: true })

/** A text that is usually one of these names. Editors complete them; other texts are valid as well. */
export type KnownName<N extends string> = N | (string & {})

/** A header value without characters that would end it. */
export const headerValue = z
  .string()
  .regex(HEADER_VALUE, 'expected the value of a header, without line breaks')

/** Refuses a text for the reason that a search finds. */
export function reporting(
  findProblem: (text: string) => string | undefined,
): (text: string, context: z.RefinementCtx) => void {
  return (text, context) => {
    const message = findProblem(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  }
}
