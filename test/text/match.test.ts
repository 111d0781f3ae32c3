import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differencesOf } from '../../src/text/match.js'

describe('matching', () => {
  it('finds every JSON value as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(differencesOf(value, structuredClone(value), 'body')).toEqual([])
      }),
    )
  })

  it('finds an object with more in it than was asked for', () => {
    const key = fc.string().filter((name) => name !== '__proto__')
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), key, fc.jsonValue(), (object, name, more) => {
        fc.pre(!Object.hasOwn(object, name))
        expect(differencesOf(object, { ...object, [name]: more }, 'body')).toEqual([])
        const missing = differencesOf({ ...object, [name]: more }, object, 'body')
        expect(missing.map(({ received }) => received)).toEqual(['nothing'])
      }),
    )
  })

  it.each([
    [/b+/g, 'abba', true],
    [/b+/g, 12, false],
    [(value: number) => value > 2, 3, true],
    [(value: number) => value > 2, 1, false],
    [expect.stringContaining('b'), 'abc', true],
    [expect.stringContaining('b'), 'xyz', false],
    [undefined, undefined, true],
    [null, undefined, false],
    [[1, 2], [1], false],
    [{ a: 1 }, null, false],
    [[1], { 0: 1 }, false],
  ])('compares %s with %s: %s', (expected, received, fits) => {
    expect(differencesOf(expected, received, 'value').length === 0).toBe(fits)
  })
})
