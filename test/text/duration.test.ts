import { expect, it } from 'vitest'
import { parseDuration } from '../../src/text/duration.js'

it.each([
  ['250ms', 250],
  ['2s', 2000],
  ['1.5s', 1500],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['0', 0],
])('reads %s', (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds)
})

it.each(['', '5', '1x', 's', '-1s', '1 s', '1s 2', 'NaNs', '1e3s'])(
  'does not read "%s"',
  (text) => {
    expect(parseDuration(text)).toBeUndefined()
  },
)
