import * as fc from 'fast-check'
import { oddJson } from './odd-values.js'

type JsonSchema = Readonly<Record<string, unknown>>

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...Object.values(oddJson)).map((make) => make()),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Values that mostly match a JSON Schema. Each part of a value is sometimes odd. */
export function valuesOf(schema: JsonSchema, whole: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const fitting = depth > 6 ? fc.constant(null) : fits(schema, whole, depth)
  return fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: odd })
}

function fits(schema: JsonSchema, whole: JsonSchema, depth: number): fc.Arbitrary<unknown> {
  const inner = (each: unknown): fc.Arbitrary<unknown> =>
    valuesOf(Object(each ?? {}) as JsonSchema, whole, depth + 1)
  if (typeof schema.$ref === 'string') return fits(referred(schema.$ref, whole), whole, depth + 1)
  const variants = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (variants) return fc.oneof(...variants.map((each) => fits(each, whole, depth)))
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as unknown[]))
  switch (schema.type) {
    case 'object': {
      const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
      const fields = Object.fromEntries(properties.map(([name, each]) => [name, inner(each)]))
      const requiredKeys = ((schema.required ?? []) as string[]).filter((name) => name in fields)
      if (properties.length > 0) return fc.record(fields, { requiredKeys: requiredKeys as never[] })
      return fc.dictionary(fc.string({ maxLength: 8 }), inner(schema.additionalProperties), {
        maxKeys: 3,
      })
    }
    case 'array':
      return fc.array(inner(schema.items), { maxLength: 3 })
    case 'integer':
      return fc.integer({ min: -2, max: 20 })
    case 'number':
      return fc.double({ min: -2, max: 20, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'string':
      return fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom('1s', 'poet*', 'a', '0'))
    default:
      return odd
  }
}

function referred(pointer: string, whole: JsonSchema): JsonSchema {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((found, part) => (found as JsonSchema)[part], whole) as JsonSchema
}
