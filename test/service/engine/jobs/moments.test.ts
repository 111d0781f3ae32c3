import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Moments } from '../../../../src/service/engine/jobs/moments.js'

describe('the times of events', () => {
  it('are restored exactly, for any intervals', () => {
    const gaps = fc.array(
      fc.oneof(fc.constant(1000), fc.constant(0), fc.integer({ min: 0, max: 1e6 })),
    )
    fc.assert(
      fc.property(gaps, (between) => {
        const moments = new Moments()
        let at = 1_767_225_600_000
        const added = between.map((gap) => (at += gap))
        added.forEach((moment) => moments.add(moment))
        expect(added.map((_, index) => moments.at(index))).toEqual(added)
      }),
    )
  })

  it('are rounded by at most half a millisecond', () => {
    const moments = new Moments()
    const added = Array.from({ length: 10_000 }, (_, index) => 0.1 + index * (1000 / 3))
    added.forEach((moment) => moments.add(moment))
    added.forEach((moment, index) => {
      expect(Math.abs(moments.at(index) - moment)).toBeLessThanOrEqual(0.5)
    })
  })
})
