import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toIso } from '../../src/text/iso.js'

const LAST = 8.64e15

it('tells any moment as Date does', () => {
  const moment = fc.oneof(
    fc.double({ min: -LAST, max: LAST, noNaN: true }),
    fc.integer({ min: -100_000_000, max: 100_000_000 }),
    fc.date({ noInvalidDate: true }).map(Number),
    fc.constantFrom(0, -0, -1, 999, 86_399_999, 86_400_000, -0.5, 1.999, LAST, -LAST),
  )
  fc.assert(
    fc.property(moment, (at) => {
      expect(toIso(at)).toBe(new Date(at).toISOString())
    }),
    { numRuns: 2000 },
  )
})

it.each([Number.NaN, Infinity, -Infinity, LAST + 86_400_000])('refuses %d', (at) => {
  expect(() => toIso(at)).toThrow(RangeError)
  expect(toIso(0)).toBe('1970-01-01T00:00:00.000Z')
})
