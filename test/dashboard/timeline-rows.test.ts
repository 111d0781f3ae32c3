import { describe, expect, it } from 'vitest'
import type { TimelineItem } from '../../src/emulator/control/schemas/timeline.js'
import { countsOf, rowsOf, treeOf } from '../../src/dashboard/data/timeline-rows.js'
import { controlled } from '../emulator/control/control.js'

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

describe('the rows of a timeline', () => {
  it('have keys of their own, also if two tasks of one moment are alike', () => {
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
})

describe('the texts of a timeline', () => {
  it('say which steps a run has, and which calls were the same', async () => {
    const { emulator, client } = controlled()
    const { id } = await client.jobs.create({ model: 'poet' })
    emulator.clock.advance('1h')
    for (let poll = 0; poll < 5; poll++) {
      await emulator.fetch(`${emulator.trainingUrl}/preview/base-models?limit=${poll}`, {
        headers: { authorization: 'Bearer a-key' },
      })
    }
    const { entries } = await client.timeline()
    const steps = entries.filter(({ step }) => step !== null)
    const view = { from: -Infinity, to: Infinity, kind: 'all', problemsOnly: false } as const
    const textsIn = (ofOneJob: boolean): string[] => {
      const tree = treeOf(entries, ofOneJob)
      return rowsOf(tree, { ...view, newestFirst: false, isOpen: () => false }).map(
        ({ text }) => text,
      )
    }
    const folded = `steps 1–${steps.length} of ${steps.length}, last loss `
    expect(textsIn(false)).toContainEqual(
      expect.stringContaining(`poet ${id.slice(0, 8)} ${folded}`),
    )
    expect(textsIn(true)).toContainEqual(expect.stringMatching(`^${folded}`))
    expect(textsIn(false)).toContainEqual('5 × GET /v1/preview/base-models 200')
  })
})
