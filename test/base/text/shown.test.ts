import { expect, it } from 'vitest'
import { shown } from '../../../src/base/text/shown.js'

const itself: Record<string, unknown> = { name: 'poet' }
itself['self'] = itself

let nested: unknown = 1
for (let level = 0; level < 50_000; level++) nested = [nested]

it.each([
  [undefined, 'nothing'],
  ['a', '"a"'],
  [{ loss: 0.5, runs: [1n, null] }, '{ loss: 0.5, runs: [1, null] }'],
  [Symbol('x'), 'Symbol(x)'],
  [{ of: Symbol('x') }, '{ of: Symbol(x) }'],
  [nested, '[[[[[[[[…]]]]]]]]'],
  [itself, expect.stringMatching(/^\{ name: "poet", self: \{ name: "poet"/)],
])('any value is shown: %#', (value, text) => {
  expect(shown(value)).toEqual(text)
})
