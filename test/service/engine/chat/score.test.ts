import { expect, it } from 'vitest'
import { fitted, rangeOf, scoreAt } from '../../../../src/service/engine/chat/judge/score.js'

it.each([
  ['the whole numbers up to 4.5', { type: 'integer', minimum: 1, maximum: 4.5 }, [1, 2, 3, 4]],
  ['the whole numbers from 0.5', { type: 'integer', minimum: 0.5, maximum: 3 }, [1, 2, 3]],
  [
    'tenths',
    { type: 'number', minimum: 0, maximum: 0.5, multipleOf: 0.1 },
    [0, 0.1, 0.2, 0.3, 0.4, 0.5],
  ],
  [
    'neither of two bounds',
    { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.04 },
    [0.01, 0.02, 0.03],
  ],
  [
    'the stricter of two bounds on each side',
    { type: 'integer', minimum: 0, exclusiveMinimum: 5, maximum: 20, exclusiveMaximum: 9 },
    [6, 7, 8],
  ],
  ['values within a bound', { type: 'integer', enum: [1, 2, 9], minimum: 2 }, [2, 9]],
  ['several below the lowest usual one', { type: 'integer', maximum: 1 }, [0, 1]],
])('a score is one that the schema allows: %s', (_what, field, allowed) => {
  const range = rangeOf(field, undefined)
  const scores = Array.from({ length: 100 }, (_, at) => scoreAt(at / 100, range, field).value)
  expect([...new Set(scores)].toSorted((one, other) => one - other)).toEqual(allowed)
})

it('a bound that is a multiple with a rounding error can be reached', () => {
  const field = { type: 'number', minimum: 0, maximum: 0.3, multipleOf: 0.1 }
  expect(fitted(1, rangeOf(field, undefined), field)).toEqual({ value: 0.3, share: 1 })
})
