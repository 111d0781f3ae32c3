import { describe, expect, it } from 'vitest'
import type { TimelineItem } from '../../src/emulator/control/schemas/timeline.js'
import { countsOf } from '../../src/dashboard/data/timeline-rows.js'

/** An entry of the timeline. */
function entry(kind: TimelineItem['kind'], problem: boolean): TimelineItem {
  return { kind, problem } as TimelineItem
}

describe('the counts of a timeline', () => {
  it('are those of each kind, of all entries and of the problems', () => {
    const entries = [
      entry('request', false),
      entry('request', true),
      entry('job', false),
      entry('note', false),
    ]
    expect(countsOf(entries)).toMatchObject({ request: 2, job: 1, other: 1, all: 4, problems: 1 })
  })
})
