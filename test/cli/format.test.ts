import fc from 'fast-check'
import { expect, it } from 'vitest'
import { roundDuration } from '../../src/base/text/duration.js'
import { formatDuration } from '../../src/cli/report/format.js'

it.each([
  [999.4, '999ms', '999ms'],
  [999.6, '1.0s', '1s'],
  [59_949, '59.9s', '59.9s'],
  [59_960, '1m', '1m'],
  [3_599_600, '1h 0m', '1h'],
])('%d ms are %s, or %s for an option', (ms, text, option) => {
  expect(formatDuration(ms)).toBe(text)
  expect(roundDuration(ms)).toBe(option)
})

it('writes no more of a unit than the next one has', () => {
  const edge = fc.constantFrom(1000, 60_000, 3_600_000)
  const near = fc.tuple(edge, fc.double({ min: -60, max: 60, noNaN: true }))
  const any = fc.double({ min: 0, max: 1e9, noNaN: true })
  fc.assert(
    fc.property(
      fc.oneof(
        any,
        near.map(([at, by]) => at + by),
      ),
      (ms) => {
        for (const text of [formatDuration(ms), roundDuration(ms)]) {
          const parts = [...text.matchAll(/([\d.]+)(ms|s|m)/g)]
          for (const [, count, unit] of parts) {
            expect(Number(count)).toBeLessThan(unit === 'ms' ? 1000 : 60)
          }
        }
      },
    ),
  )
})
