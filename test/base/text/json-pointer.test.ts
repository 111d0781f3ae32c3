import { expect, it } from 'vitest'
import { partAt } from '../../../src/base/text/json-pointer.js'

const document = {
  $defs: { 'a/b': { type: 'string' }, 'a~b': 1, 'a b': 2, '50%': 3 },
  items: [{ type: 'null' }, null],
}

it.each([
  ['', document],
  ['/$defs/a~1b/type', 'string'],
  ['/$defs/a%2Fb/type', 'string'],
  ['/$defs/a~0b', 1],
  ['/$defs/a%20b', 2],
  ['/$defs/50%', 3],
  ['/items/0', { type: 'null' }],
  ['/items/1', null],
  ['/items/2', undefined],
  ['/items/1/type', undefined],
  ['/$defs/toString', undefined],
])('the pointer %j leads to its part', (pointer, part) => {
  expect(partAt(document, pointer)).toEqual(part)
})
