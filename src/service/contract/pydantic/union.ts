import { EXACT, INVALID, type Invalid, type Reader } from './reader.js'
import type { Infer, JsonSchema, Schema } from './schema.js'

export interface UnionOptions {
  /**
   * A shortcut for frequent inputs. Returns the only variant that can match, or undefined if it does not know. It
   * must never change the result.
   */
  pick?: (input: unknown) => Schema<unknown> | undefined
}

/**
 * One of several schemas, chosen as in pydantic's "smart" mode: the first exact match, else the variant with the
 * most fields set, else the one with the smallest conversion, else the first match. If none matches, the
 * problems of all variants are reported, each with the name of its variant.
 */
export function union<const V extends readonly Schema<unknown>[]>(
  variants: V,
  options: UnionOptions = {},
): Schema<Infer<V[number]>> {
  const { pick } = options
  const simple = variants.filter((variant) => variant.holds)

  function read(input: unknown, reader: Reader): unknown {
    if (!reader.exact) {
      for (const variant of simple) if (variant.holds!(input)) return input
    }
    if (reader.quiet && pick) {
      const picked = pick(input)
      if (picked) return picked.read(input, reader)
    }
    return choose(variants, input, reader)
  }

  return {
    label: `union[${variants.map((variant) => variant.label).join(',')}]`,
    read: read as (input: unknown, reader: Reader) => Infer<V[number]> | Invalid,
    describe: (components): JsonSchema => ({
      anyOf: variants.map((variant) => variant.describe(components)),
    }),
  }
}

/** Reads the input with each variant, and keeps the value of the one that matches best. */
function choose(variants: readonly Schema<unknown>[], input: unknown, reader: Reader): unknown {
  const { exactness, fieldsSet } = reader
  const start = reader.problems.length
  let best: unknown = INVALID
  let bestExactness = -1
  let bestFieldsSet = -1
  for (const variant of variants) {
    reader.exactness = EXACT
    reader.fieldsSet = -1
    const mark = reader.problems.length
    const value = variant.read(input, reader)
    if (value === INVALID) {
      reader.within(mark, variant.labelIn?.(reader) ?? variant.label)
      continue
    }
    const isCounted = reader.fieldsSet >= 0 && bestFieldsSet >= 0
    const isBetter =
      isCounted && reader.fieldsSet !== bestFieldsSet
        ? reader.fieldsSet > bestFieldsSet
        : reader.exactness > bestExactness
    if (isBetter) {
      best = value
      bestExactness = reader.exactness
      bestFieldsSet = reader.fieldsSet
    }
    if (reader.exactness === EXACT && reader.fieldsSet < 0) break
  }
  reader.exactness = exactness
  reader.fieldsSet = fieldsSet
  if (best === INVALID) return INVALID
  reader.problems.length = start
  reader.bend(bestExactness)
  if (bestFieldsSet >= 0) reader.countFields(bestFieldsSet)
  return best
}
