import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { exampleOf } from '../../../.build/reference/scenario.js'
import { scenarioSchema } from '../../../src/service/scenario/schema/scenario.js'

interface Key {
  /** `jobs[].timeline[].every`. */
  place: string
  schema: z.core.$ZodType
}

/** Returns every key of the schema below `place`. A schema that is used twice is listed once for each place. */
function* keysOf(schema: z.core.$ZodType, place: string): Generator<Key> {
  const def = (schema as z.core.$ZodTypes)._zod.def
  if (def.type === 'object') {
    for (const [name, value] of Object.entries(def.shape)) {
      const key = { place: `${place}.${name}`, schema: value }
      if (!isFixed(value)) yield key
      yield* keysOf(value, key.place)
    }
  }
  if (def.type === 'array') yield* keysOf(def.element, `${place}[]`)
  if (def.type === 'record') yield* keysOf(def.valueType, `${place}.<name>`)
  if (def.type === 'union') {
    for (const [index, option] of def.options.entries()) yield* keysOf(option, `${place}(${index})`)
  }
  if ('innerType' in def) yield* keysOf(def.innerType, place)
}

/** Whether a key has only one value: it distinguishes the variants of a union. */
function isFixed(schema: z.core.$ZodType): boolean {
  const def = (schema as z.core.$ZodTypes)._zod.def
  return def.type === 'literal' && def.values.length === 1
}

interface Meta {
  examples?: readonly unknown[]
}

/** The examples of a key. Wrappers such as `optional` take those of what they wrap. */
function metaOf(schema: z.core.$ZodType): Meta {
  const def = (schema as z.core.$ZodTypes)._zod.def
  const inner = 'innerType' in def ? metaOf(def.innerType) : {}
  return { ...inner, ...(z.globalRegistry.get(schema) as Meta | undefined) }
}

const keys = [...keysOf(scenarioSchema, '')]

describe('every key of a scenario', () => {
  it('has examples that it accepts', () => {
    expect(keys.length).toBeGreaterThan(300)
    const refused = keys.flatMap(({ place, schema }) => {
      const { examples = [] } = metaOf(schema)
      return examples.flatMap((example) => {
        const result = z.safeParse(schema, example)
        return result.success
          ? []
          : [`${place} ${JSON.stringify(example)}: ${result.error.message}`]
      })
    })
    expect(refused).toEqual([])
  })

  it('has examples that differ from the default', () => {
    const same = keys.filter(({ schema }) => {
      const { success, data } = z.safeParse(schema, undefined)
      const { examples = [] } = metaOf(schema)
      if (!success || data === undefined) return false
      return examples.length === 1 && JSON.stringify(examples[0]) === JSON.stringify(data)
    })
    expect(same.map(({ place }) => place)).toEqual([])
  })

  it('has a default that means the same as leaving the key out', () => {
    const shown = keys.flatMap((key) => {
      const { default: value } = z.toJSONSchema(key.schema, {
        io: 'input',
        unrepresentable: 'any',
      })
      return value === undefined ? [] : [{ ...key, value }]
    })
    expect(shown.length).toBeGreaterThan(50)
    const different = shown.filter(({ schema, value }) => {
      const left = JSON.stringify(z.parse(schema, undefined))
      return left !== JSON.stringify(z.parse(schema, value))
    })
    expect(different.map(({ place }) => place)).toEqual([])
  })
})

/** Returns every variant of a union of maps that a key distinguishes, such as `event` or `fault`. */
function* variantsOf(schema: z.core.$ZodType): Generator<z.core.$ZodType> {
  const def = (schema as z.core.$ZodTypes)._zod.def
  if (def.type === 'union' && 'discriminator' in def) yield* def.options
  if (def.type === 'object') for (const value of Object.values(def.shape)) yield* variantsOf(value)
  if (def.type === 'union') for (const option of def.options) yield* variantsOf(option)
  if (def.type === 'array') yield* variantsOf(def.element)
  if (def.type === 'record') yield* variantsOf(def.valueType)
  if ('innerType' in def) yield* variantsOf(def.innerType)
}

it('every kind of curve, event, fault and delivery has an example that it accepts', () => {
  const variants = [...new Set(variantsOf(scenarioSchema))]
  expect(variants.length).toBeGreaterThan(60)
  const refused = variants.flatMap((variant) => {
    const schema = z.toJSONSchema(variant, { io: 'input', unrepresentable: 'any' })
    const example = exampleOf(schema as Parameters<typeof exampleOf>[0])
    return z.safeParse(variant, example).success ? [] : [example]
  })
  expect(refused).toEqual([])
})
