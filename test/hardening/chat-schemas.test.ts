import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { textFrom } from '../support/chat-text.js'

const emulator = createEmulator()
const nested = (depth: number): object =>
  depth === 0
    ? { type: 'string' }
    : { type: 'array', minItems: 50, maxItems: 50, items: nested(depth - 1) }
const hostile = '^(a+)+$'
const long = `${'a'.repeat(60)}!`

// Each of these, asked for by a client, kept the whole process busy until it was killed.
it.each([
  ['a list of 100 million', { type: 'array', minItems: 1e8, items: { type: 'string' } }],
  ['a list of up to 100 million', { type: 'array', maxItems: 1e8, items: { type: 'string' } }],
  ['100 million that it contains', { type: 'array', contains: {}, minContains: 1e8 }],
  ['a text of a billion letters', { type: 'string', minLength: 1e9 }],
  ['lists in lists in lists', nested(6)],
  ['a billion repetitions', { type: 'string', pattern: '((((a{99}){99}){99}){99}){99}' }],
  [
    'an expression that never ends',
    { allOf: [{ const: long }, { type: 'string', pattern: hostile }] },
  ],
  [
    'an expression on keys',
    {
      type: 'object',
      patternProperties: { [hostile]: {} },
      propertyNames: { pattern: hostile },
      properties: { [long]: {} },
      required: [long],
    },
  ],
])('a schema of %s is answered at once', { timeout: 20_000 }, async (_name, schema) => {
  const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
  const text = await textFrom(emulator, { response_format: format })
  expect(JSON.parse(text)).toBeDefined()
  expect(text.length).toBeLessThan(1_000_000)
})
