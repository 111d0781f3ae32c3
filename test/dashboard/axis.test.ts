import { describe, expect, it } from 'vitest'
import { axisOf, type Extent } from '../../src/dashboard/parts/axis.js'

const SECOND = 1000
const HOUR = 3_600_000

/** The axis of these seconds, as seconds before and after. */
function axis(zoom: 'happened' | 'whole', { past, now }: Pick<Extent, 'past' | 'now'>): number[] {
  const { from, to } = axisOf(zoom, { past, now, next: undefined, end: undefined })
  // Adding 0 makes 0 of -0.
  return [from, to].map((time) => Math.round(time / SECOND) + 0)
}

describe('what happened', () => {
  it('is the whole if little of it is empty', () => {
    const full = { past: [0, 10, 25, 40].map((each) => each * SECOND), now: 60 * SECOND }
    expect(axis('happened', full)).toEqual(axis('whole', full))
  })

  it('ends with the last entry if nothing happened for long', () => {
    const idle = { past: [0, 10, 20].map((each) => each * SECOND), now: HOUR }
    expect(axis('whole', idle)).toEqual([-72, 3672])
    expect(axis('happened', idle)).toEqual([0, 20])
  })

  it('is the part with most entries if a long time lies between them', () => {
    const job = [0, 1, 2, 3, 4].map((each) => HOUR + each * SECOND)
    expect(axis('happened', { past: [0, ...job], now: HOUR + 5 * SECOND })).toEqual([3600, 3605])
  })

  it('is some seconds long, even if all happened at once', () => {
    expect(axis('happened', { past: [0, 0, 0], now: HOUR })).toEqual([0, 5])
  })
})
