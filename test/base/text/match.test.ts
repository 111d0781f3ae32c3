import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  differences,
  formatDifferences,
  globPattern,
  matches,
} from '../../../src/base/text/match.js'

describe('matching', () => {
  it('accepts equal JSON values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(differences(value, structuredClone(value))).toEqual([])
      }),
    )
  })

  it('accepts an object with additional keys', () => {
    const key = fc.string().filter((name) => name !== '__proto__')
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), key, fc.jsonValue(), (object, name, more) => {
        fc.pre(!Object.hasOwn(object, name))
        expect(differences(object, { ...object, [name]: more })).toEqual([])
        const missing = differences({ ...object, [name]: more }, object)
        expect(missing.map(({ received }) => received)).toEqual([undefined])
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
    [0, -0, true],
    [Number.NaN, Number.NaN, true],
  ])('compares %s with %s: %s', (expected, received, fits) => {
    expect(differences(expected, received).length === 0).toBe(fits)
    expect(matches(expected, received)).toBe(fits)
  })

  it('names a place by its path, and prints it as code does', () => {
    expect(differences([1], []).map(({ path }) => path)).toEqual([['length']])
    const found = differences({ body: { 'a.b': [1, 2] } }, { body: { 'a.b': [3] } })
    expect(found.map(({ path }) => path)).toEqual([
      ['body', 'a.b', 'length'],
      ['body', 'a.b', 0],
    ])
    expect(formatDifferences(found)).toEqual([
      '  body.a.b.length: expected 2, received 1',
      '  body.a.b[0]: expected 1, received 3',
    ])
  })

  it('supports globs, and shows them as strings', () => {
    expect(matches(globPattern('RUN_*'), 'RUN_STATE')).toBe(true)
    expect(matches({ event: globPattern('RUN_*') }, {})).toBe(false)
    const found = differences({ event: globPattern('RUN_*') }, { event: 'OTHER' })
    expect(formatDifferences(found)).toEqual(['  event: expected "RUN_*", received "OTHER"'])
  })

  it('takes no object without fields for a pattern that all objects match', () => {
    for (const [pattern, text] of [
      [new Map([['model', 'x']]), '[object Map]'],
      [new Set([1]), '[object Set]'],
      [new Date(Date.UTC(2026, 5)), ' 2026 '],
    ] as const) {
      expect(matches({ body: pattern }, { body: { model: 'y' } })).toBe(false)
      expect(formatDifferences(differences(pattern, 1))[0]).toContain(text)
    }
    expect(matches({}, { body: 1 })).toBe(true)
  })

  it('stops at the first difference', () => {
    const value = {
      cheap: 1,
      get costly(): unknown {
        throw new Error('must not be read')
      },
    }
    expect(matches({ cheap: 2, costly: 1 }, value)).toBe(false)
  })

  it('shows at most eight differences', () => {
    const pattern = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`k${index}`, 1]))
    const lines = formatDifferences(differences({ body: pattern }, { body: {} }))
    expect(lines[0]).toBe('  body.k0: expected 1, received nothing')
    expect(lines.slice(8)).toEqual(['  … and 2 more differences'])
    expect(formatDifferences(differences({ ...pattern, k9: undefined }, {})).at(-1)).toBe(
      '  … and 1 more difference',
    )
  })
})
