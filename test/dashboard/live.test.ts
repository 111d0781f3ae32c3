import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { ControlJob } from '../../src/emulator/control/schemas/jobs.js'
import { Live } from '../../src/dashboard/data/live.js'

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
})
