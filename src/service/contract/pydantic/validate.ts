import { plainOf } from './exact.js'
import type { Loc, Problem } from './problem.js'
import { INVALID, Reader, type MessageArrays } from './reader.js'
import type { Components, Schema } from './schema.js'

export type Validation<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problems: Problem[] }

/** How an input is read. */
export interface Reading {
  /** How arrays inside messages are read. Default: `checked`. */
  readonly messageArrays?: MessageArrays | undefined
  /** Reads the same input without loss: see docs/explain/contract.md#exact-values. Default: the input is exact. */
  readonly exact?: (() => unknown) | undefined
}

/**
 * Reads an input. The first pass only checks whether it matches. If it does not, or if that depends on a number
 * that JavaScript cannot hold, the exact input decides. A last pass finds all problems.
 *
 * The value has the numbers of JavaScript, unless the schema is `exact`.
 *
 * @param place - The location of the input, such as `['body']`. The locations of problems begin with it.
 */
export function validate<T>(
  schema: Schema<T>,
  input: unknown,
  place: Loc,
  { messageArrays, exact }: Reading = {},
): Validation<T> {
  const reader = new Reader(true, messageArrays)
  const value = schema.read(input, reader)
  if (value !== INVALID && !(reader.doubtful && exact)) return { ok: true, value }
  if (!exact) return { ok: false, problems: problemsOf(schema, input, { place, messageArrays }) }

  const source = exact()
  const precise = schema.read(source, new Reader(true, messageArrays, true))
  if (precise === INVALID)
    return {
      ok: false,
      problems: problemsOf(schema, source, { place, messageArrays, exact: true }),
    }
  return { ok: true, value: schema.exact ? precise : (plainOf(precise) as T) }
}

function problemsOf(
  schema: Schema<unknown>,
  input: unknown,
  how: { place: Loc; messageArrays?: MessageArrays | undefined; exact?: boolean },
): Problem[] {
  const reporter = new Reader(false, how.messageArrays, how.exact)
  schema.read(input, reporter)
  return reporter.located(how.place)
}

/**
 * Reads the body of a request. Like the framework, it reports a missing body and `null` in the same way: as a
 * missing value.
 */
export function validateBody<T>(
  schema: Schema<T>,
  body: unknown,
  reading?: Reading,
): Validation<T> {
  if (body === undefined || body === null)
    return {
      ok: false,
      problems: [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    }
  return validate(schema, body, ['body'], reading)
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
