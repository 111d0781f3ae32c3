import * as z from 'zod'
import { capitalize } from '../../../base/text/capitalize.js'

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

/** What a list with more items than this is refused with. */
export function tooMany(most: number): { readonly error: string } {
  return { error: `expected at most ${most} of them` }
}

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

/**
 * Describes a key whose value is one of some names. Editors show the meaning of each beside its name.
 *
 * @param what - What the key decides: a sentence.
 * @param meanings - What each name means, without a full stop, in the order of the names.
 * @param more - A sentence after that.
 * @example
 * z.enum(['stop', 'go']).meta(valuesMean('What happens.', { stop: 'it ends', go: 'it goes on' }))
 */
export function valuesMean(
  what: string,
  meanings: Readonly<Record<string, string>>,
  more?: string,
): { readonly description: string; readonly enumDescriptions: readonly string[] } {
  const sentences = Object.entries(meanings).map(([name, meaning]) => `${name}: ${meaning}.`)
  return {
    description: [what, ...sentences, more].filter((part) => part !== undefined).join(' '),
    enumDescriptions: Object.values(meanings).map((text) => `${capitalize(text)}.`),
  }
}
