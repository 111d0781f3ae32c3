import { expect, it } from 'vitest'
import { allAtOnce, inSlices, SLICE, type Pieces } from '../../../src/base/clock/slices.js'

function* pieces(sizes: readonly number[], done: number[] = []): Pieces<string> {
  for (const size of sizes) {
    done.push(size)
    yield size
  }
  return 'the result'
}

it.each([
  { sizes: [], slices: 0 },
  { sizes: [SLICE - 1], slices: 0 },
  { sizes: Array<number>(10 * SLICE).fill(1), slices: 10 },
  { sizes: Array<number>(3).fill(2 * SLICE), slices: 3 },
])('pauses after each slice: $slices times', async ({ sizes, slices }) => {
  const done: number[] = []
  let since = 0
  const pauses: number[] = []
  const pause = (): Promise<void> => {
    pauses.push(done.slice(since).reduce((sum, size) => sum + size, 0))
    since = done.length
    return Promise.resolve()
  }
  expect(await inSlices(pieces(sizes, done), pause)).toBe('the result')
  expect(pauses).toHaveLength(slices)
  const largest = Math.max(0, ...sizes)
  for (const size of pauses) expect(size).toBeLessThan(SLICE + largest)
  expect(allAtOnce(pieces(sizes))).toBe('the result')
})
