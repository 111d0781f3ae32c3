import { expect, it } from 'vitest'
import type { TimelineItem } from '../../src/emulator/control/schemas/timeline.js'
import { countsOf, treeOf } from '../../src/dashboard/data/timeline-rows.js'

/** An entry of the timeline. */
function entry(kind: TimelineItem['kind'], problem: boolean): TimelineItem {
  return { kind, problem } as TimelineItem
}

it('the counts of a timeline are those of each kind, of all entries and of the problems', () => {
  const entries = [
    entry('request', false),
    entry('request', true),
    entry('job', false),
    entry('note', false),
  ]
  expect(countsOf(entries)).toMatchObject({ request: 2, job: 1, other: 1, all: 4, problems: 1 })
})

it('the rows of a timeline have keys of their own, also if two tasks of one moment are alike', () => {
  const task = { id: null, kind: 'task', at: '2026-01-01T00:00:00.000Z', text: 'a' } as const
  const alike = [1, 2].map(
    () =>
      ({
        ...task,
        cause: null,
        delivery_id: null,
        job_id: null,
        scheduled: true,
      }) as TimelineItem,
  )
  expect(new Set(treeOf(alike, false).map(({ key }) => key)).size).toBe(2)
})
