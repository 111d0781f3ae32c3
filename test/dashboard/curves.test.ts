import { expect, it } from 'vitest'
import { Curves } from '../../src/dashboard/kit/curves.js'

it.each([
  [[1, 2, 3], 0],
  [[1, 4, 7], 3],
])('of the steps %j, %i stand for a range of steps', (steps, thinned) => {
  const curves = new Curves({ steps, metrics: { loss: steps }, not_finite: {} })
  expect(curves.line('loss').thinned).toBe(thinned)
  curves.append(8, { loss: 8 })
  expect(curves.line('loss').thinned).toBe(thinned)
})
