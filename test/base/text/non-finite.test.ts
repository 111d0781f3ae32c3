import { expect, it } from 'vitest'
import { NonFiniteNumber, nonFiniteJson } from '../../../src/base/text/non-finite.js'

it('writes what JSON has no form for as JSON.stringify does in a list', () => {
  const value = { list: [undefined, 1n, 'a'], at: new NonFiniteNumber(Number.NaN), left: undefined }
  expect(nonFiniteJson(value)).toBe('{"list":[null,1,"a"],"at":NaN}')
  expect(nonFiniteJson(undefined)).toBe('null')
})
