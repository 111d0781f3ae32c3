import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { operations } from '../../../../src/service/api/table.js'
import { modelPath } from '../../../../src/service/contract/model.js'
import { orderedPageQuery } from '../../../../src/service/contract/page.js'
import { httpValidationError } from '../../../../src/service/contract/refusal.js'
import type { JsonSchema } from '../../../../src/service/contract/pydantic/schema.js'
import { describeComponents } from '../../../../src/service/contract/pydantic/validate.js'

const documented = operations.filter(({ host, unlisted }) => host === 'training' && !unlisted)
const components = describeComponents([
  httpValidationError,
  ...documented.flatMap(({ body, response }) => (body ? [body, response] : [response])),
])

it('every component is described as the framework describes it', () => {
  expect(withoutProse(components, 'schemas')).toEqual(judgedComponents())
})

it('parameters are described as documented', () => {
  expect(withoutProse([...modelPath.describe({}), ...orderedPageQuery.describe({})])).toEqual([
    { name: 'model_id', in: 'path', required: true, schema: { type: 'string', title: 'Model Id' } },
    { name: 'after', in: 'query', required: false, schema: { type: 'string', title: 'After' } },
    {
      name: 'limit',
      in: 'query',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 100, default: 20, title: 'Limit' },
    },
    {
      name: 'order',
      in: 'query',
      required: false,
      schema: { type: 'string', enum: ['asc', 'desc'], default: 'asc', title: 'Order' },
    },
  ])
})

/** What test/interop/oracle recorded, with two corrections. */
function judgedComponents(): Record<string, JsonSchema> {
  const url = new URL('../../../fixtures/validation/components.json', import.meta.url)
  // Of the shapes that share a name, the judge tells all apart by where they are. The real service
  // documents those of answers under their plain names.
  const text = readFileSync(url, 'utf8').replaceAll(/(?<=["/])openai__(?!\w+_param__)\w+__/g, '')
  const judged = JSON.parse(text) as Record<string, JsonSchema & { properties: JsonSchema }>
  // The documented service ran a framework that did not describe these two yet.
  delete judged['ValidationError']!.properties['input']
  delete judged['ValidationError']!.properties['ctx']
  return judged
}

function withoutProse(value: unknown, parent = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item))
  if (typeof value !== 'object' || value === null) return value
  const named = parent === 'properties' || parent === 'schemas'
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => named || !['description', 'examples'].includes(key))
      .map(([key, item]) => [key, withoutProse(item, named ? '' : key)]),
  )
}
