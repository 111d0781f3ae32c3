import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Clock, VIRTUAL_START } from '../../../src/base/clock/clock.js'
import { wallNow } from '../../../src/base/clock/wall.js'

describe('a virtual clock', () => {
  it('runs scheduled tasks in order, each at its own time', () => {
    const clock = new Clock({ mode: 'manual' })
    const done: [string, number][] = []
    const note = (name: string) => () => done.push([name, clock.now() - VIRTUAL_START])
    clock.at(VIRTUAL_START + 30, note('late'))
    clock.at(VIRTUAL_START + 10, note('first'))
    clock.at(VIRTUAL_START + 10, note('second'))
    clock.advance(20)
    expect(done).toEqual([
      ['first', 10],
      ['second', 10],
    ])
    expect(clock.now()).toBe(VIRTUAL_START + 20)
    clock.advance(10)
    expect(done.at(-1)).toEqual(['late', 30])
  })

  it('runs tasks that other tasks schedule', () => {
    const clock = new Clock({ mode: 'manual' })
    const moments: number[] = []
    const again = (): void => {
      moments.push(clock.now() - VIRTUAL_START)
      clock.at(clock.now() + 10, again)
    }
    clock.at(VIRTUAL_START + 10, again)
    clock.advance(35)
    expect(moments).toEqual([10, 20, 30])
  })

  it('steps to the next task, and returns false if there is none', () => {
    const clock = new Clock({ mode: 'manual' })
    clock.at(VIRTUAL_START + 3_600_000, () => {})
    expect(clock.next()).toBe(true)
    expect(clock.now()).toBe(VIRTUAL_START + 3_600_000)
    expect(clock.next()).toBe(false)
  })

  it('never goes backwards', () => {
    const clock = new Clock({ mode: 'manual' })
    clock.advance(100)
    clock.advanceTo(VIRTUAL_START)
    expect(clock.now()).toBe(VIRTUAL_START + 100)
    let seen = 0
    clock.at(VIRTUAL_START, () => (seen = clock.now()))
    clock.next()
    expect(seen).toBe(VIRTUAL_START + 100)
  })

  it('drops cancelled tasks, one by one or all at once', () => {
    const clock = new Clock({ mode: 'manual' })
    let done = 0
    const scheduled = Array.from({ length: 5000 }, (_, index) =>
      clock.at(VIRTUAL_START + index, () => done++),
    )
    for (const each of scheduled.slice(0, 4000)) clock.cancel(each)
    for (const each of scheduled.slice(0, 10)) clock.cancel(each)
    expect(clock.pending).toBe(1000)
    clock.advance(4499)
    expect(done).toBe(500)
    clock.cancel(scheduled[4100])
    expect(clock.pending).toBe(500)
    clock.clear()
    clock.advance(10_000)
    expect(done).toBe(500)
  })
})

describe('a real clock', () => {
  it('refuses to be moved by hand, and says what to do instead', () => {
    const clock = new Clock({ mode: 'real' })
    expect(() => clock.advance(1)).toThrow(/this clock is "real".*Create the emulator with clock/)
  })

  it('runs at `speed` times real time, and runs tasks on time', async () => {
    const clock = new Clock({ mode: 'real', speed: 1000 })
    const planned = clock.now() + 20_000
    const seen = await new Promise<number>((resolve) =>
      clock.at(planned, () => resolve(clock.now())),
    )
    expect(seen).toBe(planned)
    expect(clock.now()).toBeGreaterThanOrEqual(planned)
  })

  it('never goes backwards, and never passes a task that has not run', async () => {
    const clock = new Clock({ mode: 'real', speed: 100_000 })
    const seen: number[] = []
    const note = (): void => void seen.push(clock.now())
    const start = clock.now()
    const planned = start + 1000
    clock.at(planned, note)
    // The time of the task passes while no timer can run.
    for (const begun = wallNow(); wallNow() < begun + 1;) note()
    expect(clock.now()).toBeLessThanOrEqual(planned)
    await new Promise<void>((resolve) => clock.at(planned + 1, resolve))
    note()
    // It is late already.
    await new Promise<void>((resolve) => clock.at(start, () => resolve(note())))
    expect(seen).toEqual(seen.toSorted((one, other) => one - other))
    expect(seen.filter((at) => at === planned).length).toBeGreaterThan(0)
  })
})

describe("a test runner's fake timers", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('do not stop the real clock', async () => {
    const clock = new Clock({ mode: 'real', speed: 1000 })
    const planned = clock.now() + 1000
    await new Promise<void>((resolve) => clock.at(planned, resolve))
    expect(clock.now()).toBeGreaterThanOrEqual(planned)
  })
})
