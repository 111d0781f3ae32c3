import { expect, it } from 'vitest'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'

type JsonSchema = Readonly<Record<string, unknown>>

it('describes every field and every variant of a scenario in a sentence', () => {
  const described = [...describedParts(scenarioJsonSchema(), '')]
  expect(described.map(([place]) => place)).toContain('.jobs[].timeline[](1).every')
  expect(described.filter(([, description]) => !/^[^ ].*\.$/s.test(description))).toEqual([])
})

/** The fields that a user can set, and the variants of unions that are objects, with their descriptions. */
function* describedParts(schema: JsonSchema, place: string): Generator<[string, string]> {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  for (const [name, field] of fields) {
    // The field that distinguishes the variants of a union. Its variant has the description.
    if (field.const !== undefined) continue
    yield [`${place}.${name}`, String(field.description)]
    yield* describedParts(field, `${place}.${name}`)
  }
  const variants = (schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]
  for (const [index, variant] of variants.entries()) {
    if (variant.properties) yield [`${place}(${index})`, String(variant.description)]
    yield* describedParts(variant, `${place}(${index})`)
  }
  for (const inner of [schema.items, schema.additionalProperties]) {
    if (typeof inner === 'object') yield* describedParts(inner as JsonSchema, `${place}[]`)
  }
}
