import type { Loc, Problem } from './problem.js'
import { INVALID, Reader } from './reader.js'
import type { Components, Schema } from './schema.js'

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

/**
 * Reads an input found at the given place. The first pass only asks whether it fits; the second, for
 * those that do not, finds everything that is wrong.
 */
export function validate<T>(schema: Schema<T>, input: unknown, place: Loc): Validated<T> {
  const value = schema.read(input, new Reader(true))
  if (value !== INVALID) return { ok: true, value }
  const teller = new Reader(false)
  schema.read(input, teller)
  return { ok: false, problems: teller.located(place) }
}

/**
 * Reads the body of a request. A body that is missing and one that says `null` are the same to the
 * framework: a required thing that is not there.
 */
export function validateBody<T>(schema: Schema<T>, body: unknown): Validated<T> {
  if (body === undefined || body === null)
    return {
      ok: false,
      problems: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    }
  return validate(schema, body, ['body'])
}

/** Every component that the given schemas need, in the order of their names. */
export function describeComponents(schemas: readonly Schema<unknown>[]): Components {
  const components: Components = {}
  for (const schema of schemas) schema.describe(components)
  return inOrder(components)
}

/** Components in the order of their names, in which the framework lists them. */
export function inOrder(components: Components): Components {
  return Object.fromEntries(
    Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
