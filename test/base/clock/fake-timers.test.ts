import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeTimers } from '../../../src/base/clock/fake-timers.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

it.each([0, 50])('fake timers go on in small steps after a timer in %i ms', async (wait) => {
  const steps: number[] = []
  const timers = new FakeTimers(async (ms) => {
    steps.push(ms)
    await vi.advanceTimersByTimeAsync(ms)
  })
  await timers.step()
  await timers.step()
  setTimeout(() => {}, wait)
  await timers.step()
  await timers.step()
  expect(steps).toEqual([100, 300, Math.max(1, wait), 100])
})
