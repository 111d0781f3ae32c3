import { expect, it } from 'vitest'
import { bodyOf, type FormField } from '../../src/dashboard/kit/field-values.js'
import { valueIn } from '../../src/dashboard/kit/schema-text.js'
import { refusedAt } from '../../src/dashboard/kit/refused-fields.js'

const fields: readonly FormField[] = [{ place: 'name' }, { place: 'signature.header' }]

it('says all that is wrong with a text of several lines', () => {
  const tools = [{ place: 'tools', json: true }]
  let refusal: Error | undefined
  try {
    bodyOf(tools, { properties: { tools: { type: 'array' } } }, { tools: 'one\ntwo' })
  } catch (error) {
    refusal = error as Error
  }
  expect(refusedAt(refusal, tools)).toEqual([
    {
      place: 'tools',
      message: expect.stringMatching(/^This is not JSON: .*one\ntwo.*\.$/s) as string,
    },
  ])
})

it.each([
  ['{"one": 1}', 'array', 'A JSON list is expected'],
  ['5', 'array', 'A JSON list is expected'],
  ['[1]', 'object', 'A JSON object is expected'],
  ['5', 'object', 'A JSON object is expected'],
])('refuses the JSON %s where an %s belongs', (text, type, message) => {
  const schema = { properties: { more: { type } } }
  const more = valueIn(text, { kind: 'json' })
  expect(() => bodyOf([{ place: 'more' }], schema, { more })).toThrow(message)
})

it('says at which fields the control API refuses a call', () => {
  const said = [
    'The webhook is not valid:',
    '  body.name: Field required',
    '  webhooks[0].signature: a map is expected',
    '  webhooks[0].port: unknown key',
  ].join('\n')
  expect(refusedAt(new Error(said), fields)).toEqual([
    { place: 'name', message: 'Field required' },
    { place: 'signature.header', message: 'a map is expected' },
    { place: 'port', message: 'unknown key' },
  ])
  expect(refusedAt(new Error('webhooks[0].port: unknown key'), fields)).toEqual([])
})

it('keeps the white space of an exact field, and takes no other blank text for a value', () => {
  const schema = { properties: { name: { type: 'string' }, body: { type: 'string' } } }
  const texts = { name: ' \n', body: ' \n' }
  expect(bodyOf([{ place: 'name' }, { place: 'body', exact: true }], schema, texts)).toEqual({
    body: ' \n',
  })
})
