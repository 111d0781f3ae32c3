import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toIso } from '../../../src/base/text/iso.js'

const LATEST = 8.64e15

describe('toIso', () => {
  it('writes what a Date writes, in any order of moments', () => {
    const moment = fc.oneof(
      fc.integer({ min: -LATEST, max: LATEST }),
      fc.integer({ min: Date.UTC(2026, 0, 1) - 5, max: Date.UTC(2026, 0, 3) + 5 }),
      fc.double({ min: -1e4, max: 1e4, noNaN: true }),
    )
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        expect(moments.map(toIso)).toEqual(moments.map((each) => new Date(each).toISOString()))
      }),
    )
  })

  it.each([Number.NaN, Infinity, LATEST + 1, -LATEST - 1])('refuses %d', (moment) => {
    toIso(LATEST)
    expect(() => toIso(moment)).toThrow(RangeError)
  })
})
