import { expect, it } from 'vitest'
import type { Trial, TrialResult } from '../../../src/tools/explore/exploration.js'
import { Patience } from '../../../src/tools/explore/patience.js'

const run = (number: number): Trial => ({
  number,
  kind: 'scenario',
  name: 'x',
  scenario: { name: 'x' },
  seed: 1,
  expects: 'success',
})
const ran = (took: number, ended: TrialResult['ended'] = 'success') =>
  ({ took, ended }) as TrialResult

it('a run gets three times as long as the whole ones before it, and 30 s at least', () => {
  const patience = new Patience(30_000, { isDefault: true })
  patience.ended(ran(20_000))
  expect(patience.limitOf(run(2))).toBe(60_000)
  // The first run also loads the code. One that fails says little of a whole one.
  patience.ended(ran(1000, 'error'))
  expect(patience.limitOf(run(3))).toBe(60_000)
  patience.ended(ran(3000))
  expect(patience.limitOf(run(4))).toBe(30_000)
  patience.ended(ran(15_000))
  expect(patience.limitOf(run(5))).toBe(45_000)
})

it('a run gets the time that the user says', () => {
  const patience = new Patience(5000, { isDefault: false })
  patience.ended(ran(20_000))
  patience.ended(ran(9000))
  expect(patience.limitOf(run(3))).toBe(5000)
})
