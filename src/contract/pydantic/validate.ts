import type { Loc, Problem } from './problem.js'
import { INVALID, Reader } from './reader.js'
import type { Components, Schema } from './schema.js'

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

/**
 * Reads an input at the given place. The first pass only checks whether it matches. If it does not, a second pass
 * finds all problems.
 */
export function validate<T>(schema: Schema<T>, input: unknown, place: Loc): Validated<T> {
  const value = schema.read(input, new Reader(true))
  if (value !== INVALID) return { ok: true, value }
  const teller = new Reader(false)
  schema.read(input, teller)
  return { ok: false, problems: teller.located(place) }
}

/**
 * Reads the body of a request. For the framework, a missing body and `null` are the same: a missing required
 * value.
 */
export function validateBody<T>(schema: Schema<T>, body: unknown): Validated<T> {
  if (body === undefined || body === null)
    return {
      ok: false,
      problems: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    }
  return validate(schema, body, ['body'])
}

/** All components that the given schemas need, ordered by name. */
export function describeComponents(schemas: readonly Schema<unknown>[]): Components {
  const components: Components = {}
  for (const schema of schemas) schema.describe(components)
  return inOrder(components)
}

/** Orders components by name, as the framework does. */
export function inOrder(components: Components): Components {
  return Object.fromEntries(
    Object.entries(components).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
