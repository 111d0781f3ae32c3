import { describe, expect, it } from 'vitest'
import { AutoSkip } from '../../../src/service/engine/auto-skip.js'
import type { Job } from '../../../src/service/engine/jobs/job.js'

/** Polls a running job with these milliseconds of real time before each poll, and returns what is noted. */
function notesOf(sleeps: readonly number[], mode: 'auto' | 'real' = 'auto'): string[] {
  const notes: string[] = []
  let now = 0
  const world = {
    clock: { mode, next: () => false },
    training: { willMove: () => false },
    journal: {
      note: (text: string) => {
        notes.push(text)
        return undefined
      },
    },
  }
  const skip = new AutoSkip(world as never, () => now)
  const job = { id: '12345678-0000', over: false, eventCount: 1 } as Job
  for (const sleep of sleeps) {
    now += sleep
    skip.skipToNextPause(job, { key: 'k', upTo: 1 })
  }
  return notes
}

describe('the hint for a client that sleeps', () => {
  it('names the sleep and the clock to use, once', () => {
    const [note, ...more] = notesOf([0, 1000, 1000, 1000, 1000, 1000, 1000])
    expect(note).toMatch(/the client slept 3\.0 s between 4 polls of job 12345678/)
    expect(note).toContain('--clock instant')
    expect(more).toEqual([])
  })

  it('does not come for a client that sleeps once for each job, or not at all', () => {
    expect(notesOf([0, 1000, 1000])).toEqual([])
    expect(notesOf(Array.from({ length: 100 }, () => 10))).toEqual([])
  })

  it('does not come under another clock', () => {
    expect(notesOf([0, 1000, 1000, 1000, 1000], 'real')).toEqual([])
  })
})
