import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ControlJob } from '../../src/emulator/control/schemas/jobs.js'
import type { Entry } from '../../src/emulator/control/schemas/journal.js'
import { Live, MOST_LISTED } from '../../src/dashboard/data/live.js'

/** A job that was created in that minute. */
function job(id: string, minute: number): ControlJob {
  return { id, created_at: `2026-01-01T00:0${minute}:00.000Z`, events: 0 } as ControlJob
}

describe('the jobs of the page', () => {
  beforeEach(() => {
    vi.stubGlobal('requestAnimationFrame', () => 0)
    return () => vi.unstubAllGlobals()
  })

  it('have the oldest job first, in whatever order they arrive', () => {
    const live = new Live(new EventTarget() as EventSource)
    live.know([job('third', 3)])
    live.list([job('first', 1), job('second', 2), job('third', 3)])
    expect([...live.jobs.keys()]).toEqual(['first', 'second', 'third'])
    live.know([job('fifth', 5), job('fourth', 4)])
    expect([...live.jobs.keys()]).toEqual(['first', 'second', 'third', 'fourth', 'fifth'])
  })

  it('have the latest state, also if an older answer arrives after it', () => {
    const live = new Live(new EventTarget() as EventSource)
    const ended = { ...job('poet', 1), events: 5, status: 'ended' } as const
    live.know([{ ...ended, events: 2, status: 'running' }])
    live.know([ended])
    live.know([{ ...ended, events: 3, status: 'running' }])
    expect(live.jobs.get('poet')).toBe(ended)
  })

  it('say whether there may be older entries, until a reset', () => {
    const source = new EventTarget()
    const live = new Live(source as EventSource)
    const listed = (count: number): Entry[] =>
      Array.from({ length: count }, (_, at) => ({ id: at + 1, kind: 'request' }) as Entry)
    live.fill(listed(MOST_LISTED - 1))
    expect(live.isCut).toBe(false)
    live.fill(listed(MOST_LISTED))
    expect(live.isCut).toBe(true)
    source.dispatchEvent(new MessageEvent('reset', { data: '{}' }))
    expect(live.isCut).toBe(false)
    const sent = { entries: listed(2 * MOST_LISTED + 1), skipped: 0 }
    source.dispatchEvent(new MessageEvent('entries', { data: JSON.stringify(sent) }))
    expect([live.isCut, live.entries[0]!.id]).toEqual([true, 2])
  })
})
