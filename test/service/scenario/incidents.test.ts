import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { loops, meanRewards } from '../training-loop.js'

/**
 * Loops under incidents whose harm shows only over some steps. `incident-checks.test.ts` has careless and careful loops
 * under the others, and `test/golden/timelines` has what happens in each of them.
 */

const mean = (values: readonly number[]): number => {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

describe('model-does-not-learn', () => {
  const rewardsOf = async (scenario: string, steps: number): Promise<number[]> => {
    const emulator = createEmulator({ scenario, clock: 'manual' })
    onTestFinished(() => emulator.close())
    const means = await meanRewards(emulator, { ...loops['graded words']!, steps })
    const jobs = emulator.jobs.all
    expect(jobs.map(({ status }) => status)).toEqual(Array(steps).fill('ended'))
    // The metric of each job is the mean of what was submitted, and the loss falls all the same.
    for (const [index, { events }] of jobs.entries()) {
      const [first, ...others] = events.filter(({ type }) => type === 'gradient_step')
      expect(first!.data['reward']).toBeCloseTo(means[index]!, 6)
      expect(others.at(-1)!.data['loss']).toBeLessThan(Number(first!.data['loss']))
    }
    return means
  }

  it('is noticed by a loop that compares its rewards over some steps', async () => {
    const stands = (means: readonly number[]): boolean => {
      return mean(means.slice(-2)) < mean(means.slice(0, 2)) + 0.1
    }
    expect(stands(await rewardsOf('model-does-not-learn', 4))).toBe(true)
    expect(stands(await rewardsOf('learning-policy', 4))).toBe(false)
  })
})
