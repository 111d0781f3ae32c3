import type { Loc, Problem } from './problem.js'
import { INVALID, Reader, type MessageArrays } from './reader.js'
import type { Components, Schema } from './schema.js'

export type Validated<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: Problem[] }

/**
 * Reads an input. The first pass only checks whether it matches. If it does not, a second pass finds all problems.
 *
 * @param place - The location of the input, such as `['body']`. The locations of problems begin with it.
 * @param messageArrays - How arrays inside messages are read. Default: `checked`.
 */
export function validate<T>(
  schema: Schema<T>,
  input: unknown,
  place: Loc,
  messageArrays?: MessageArrays,
): Validated<T> {
  const value = schema.read(input, new Reader(true, messageArrays))
  if (value !== INVALID) return { ok: true, value }
  const reporter = new Reader(false, messageArrays)
  schema.read(input, reporter)
  return { ok: false, problems: reporter.located(place) }
}

/**
 * Reads the body of a request. Like the framework, it reports a missing body and `null` in the same way: as a
 * missing value.
 */
export function validateBody<T>(
  schema: Schema<T>,
  body: unknown,
  messageArrays?: MessageArrays,
): Validated<T> {
  if (body === undefined || body === null)
    return {
      ok: false,
      problems: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    }
  return validate(schema, body, ['body'], messageArrays)
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
