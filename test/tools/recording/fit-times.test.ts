import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitTimes } from '../../../src/tools/recording/fit-times.js'
import type { Span } from '../../../src/tools/recording/times.js'

/** Between which polls something happened, and the last poll is after all of it. */
function spanOf(time: number, polls: readonly number[]): Span {
  const next = polls.findIndex((poll) => poll >= time)
  return { above: polls[next - 1] ?? -1, most: polls[next]! }
}

function fitted(times: { start: number; steps: number[]; end: number }, polls: readonly number[]) {
  const start = spanOf(times.start, polls)
  const steps = times.steps.map((step) => spanOf(step, polls))
  const end = spanOf(times.end, polls)
  const found = fitTimes({ start, steps, end, hidden: 0, later: [] })
  let at = found.start!
  const moments = [at]
  for (const { after, every, count } of found.blocks) {
    for (let index = 0; index < count; index++) moments.push((at += index === 0 ? after : every))
  }
  moments.push(at + found.end!)
  return { ...found, moments, spans: [start, ...steps, end] }
}

/** Adds up gaps. */
function momentsAfter(gaps: readonly number[]): number[] {
  let at = 0
  return gaps.map((gap) => (at += gap))
}

function pollsUntil(last: number, gaps: readonly number[]): number[] {
  const polls: number[] = []
  for (let at = 0; at < last;) polls.push((at += gaps[polls.length % gaps.length]!))
  return polls
}

describe('the times of a job', () => {
  const gap = fc.integer({ min: 1, max: 20_000 })

  it('agree with every poll, with any gaps', () => {
    fc.assert(
      fc.property(
        fc.array(gap, { minLength: 3, maxLength: 10 }),
        fc.array(gap, { minLength: 1, maxLength: 5 }),
        (gaps, between) => {
          const [start, ...rest] = momentsAfter(gaps) as [number, ...number[]]
          const end = rest.pop()!
          const { moments, spans } = fitted({ start, steps: rest, end }, pollsUntil(end, between))
          for (const [index, { above, most }] of spans.entries()) {
            expect(moments[index]).toBeGreaterThan(above)
            expect(moments[index]).toBeLessThanOrEqual(most)
          }
        },
      ),
    )
  })

  it('of regular steps are few blocks, even between irregular polls', () => {
    fc.assert(
      fc.property(
        gap,
        fc.integer({ min: 100, max: 20_000 }),
        fc.array(gap, { minLength: 1, maxLength: 5 }),
        (start, every, between) => {
          const steps = Array.from({ length: 100 }, (_, index) => start + (index + 1) * every)
          const end = steps.at(-1)! + every
          const { blocks } = fitted({ start, steps, end }, pollsUntil(end, between))
          expect(blocks.length).toBeLessThanOrEqual(3)
          expect(blocks.every(({ jitter }) => jitter === undefined)).toBe(true)
        },
      ),
    )
  })
})
