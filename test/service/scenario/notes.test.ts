import { expect, it } from 'vitest'
import { NOTES } from '../../../src/service/scenario/notes.js'
import { scenarioJsonSchema } from '../../../src/service/scenario/scenario-json-schema.js'
import { note } from '../../../src/service/scenario/schema/values.js'

const { description: mark } = note('an example').meta()!

/** The keys of a JSON Schema that are notes for people, with their paths. Items of lists have no key. */
function* notesIn(schema: unknown, path: readonly string[] = []): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return
  if ('description' in schema && schema.description === mark) yield path.join('.')
  for (const [name, part] of Object.entries(schema)) {
    const inner: readonly [string, unknown][] =
      name === 'properties' ? Object.entries(part as object) : [['', part]]
    for (const [key, each] of inner) yield* notesIn(each, key === '' ? path : [...path, key])
  }
}

it('knows each note for people in a scenario, and the description of the scenario itself', () => {
  const found = new Set(notesIn(scenarioJsonSchema()))
  expect(found.size).toBeGreaterThan(0)
  expect(new Set(NOTES)).toEqual(new Set(['description', ...found]))
})
