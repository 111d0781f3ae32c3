import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { rangeOf } from '../../../src/tools/bill/estimate.js'

describe('the range of a longer run', () => {
  it('contains a run that goes on as before, and is never narrower than 5 %', () => {
    expect(rangeOf([10, 10, 10], 27)).toEqual({
      low: 30 + 0.95 * 270,
      likely: 300,
      high: 30 + 1.05 * 270,
    })
    // The mean of these is not one of them.
    const { low, likely } = rangeOf([0.1, 0.1, 0.1], 27)
    expect((likely - low) / (likely - 0.3)).toBeCloseTo(0.05)
  })

  it('contains a run whose answers become shorter after steps that were much alike', () => {
    expect(rangeOf([2329, 2310, 2407], 27).low).toBeLessThan(0.88 * 30 * 2349)
    expect(rangeOf([2329, 2310, 2407], 27).high).toBeGreaterThan(1.12 * 30 * 2349)
  })

  it('contains a run that grows by the same amount, or stops to grow', () => {
    const { low, high } = rangeOf([10, 20, 30], 27)
    const whole = Array.from({ length: 30 }, (_, step) => 10 * (step + 1))
    expect(high).toBeGreaterThanOrEqual(whole.reduce((sum, each) => sum + each))
    expect(low).toBeLessThanOrEqual(60 + 27 * 30)
  })

  it('contains a run that shrinks to nothing', () => {
    expect(rangeOf([30, 20, 10], 27).low).toBe(60)
    expect(rangeOf([30, 20, 10], 27).high).toBeGreaterThan(60)
  })

  it('is wider from fewer steps, and counts once what comes after the last job', () => {
    const widthOf = (observed: number[]): number => {
      const { low, high } = rangeOf(observed, 10)
      return high - low
    }
    expect(widthOf([10, 12])).toBeGreaterThan(widthOf([12, 10, 12]))
    expect(widthOf([12, 10, 12])).toBeGreaterThan(widthOf([12, 10, 12, 10, 12, 10]))
    expect(rangeOf([10, 10], 2, 5).likely).toBe(45)
  })

  it.each([
    ['sums of six draws, which are almost normal', 6, 15],
    ['single draws, which are even', 1, 25],
  ])('misses few of 1000 programs whose steps are %s', (_name, draws, most) => {
    // A small generator draws between 50 and 150.
    let state = 7
    const draw = (): number => {
      let sum = 0
      for (let left = draws; left > 0; left--) {
        state = (state * 48_271) % 2_147_483_647
        sum += 50 + (state % 101)
      }
      return sum
    }
    let missed = 0
    for (let program = 0; program < 1000; program++) {
      const steps = Array.from({ length: 30 }, draw)
      const total = steps.reduce((sum, each) => sum + each)
      const { low, high } = rangeOf(steps.slice(0, 3), 27)
      if (total < low || total > high) missed++
    }
    expect(missed).toBeLessThanOrEqual(most)
  })
})

describe('the estimate of a bill', () => {
  it('says why there is none', async () => {
    const emulator = createEmulator({ clock: 'instant' })
    const noteOf = async (steps: number) => (await emulator.bill({ steps })).notes.join()
    expect(await noteOf(30)).toBe(
      'No estimate: the run had 0 training jobs, and an estimate takes 2 or more.',
    )
    const bill = await emulator.bill({ steps: 30, budget: '1M-tokens' })
    expect(bill.budget!.text).toContain('The budget 1M-tokens cannot be judged. No estimate:')
    for (let job = 0; job < 3; job++) await emulator.jobs.start({ model: 'poet' })
    expect(await noteOf(3)).toBe(
      'No estimate: the run had 3 training jobs, which is not less than 3.',
    )
    expect(await noteOf(30)).toBe('')
  })
})
