import { expect, it } from 'vitest'
import { roundDuration } from '../../src/base/text/duration.js'
import { formatDuration } from '../../src/cli/report/format.js'

it.each([
  [999.4, '999ms', '999ms'],
  [999.6, '1.0s', '1s'],
  [59_949, '59.9s', '59.9s'],
  [59_960, '1m', '1m'],
  [3_599_600, '1h 0m', '1h'],
])('%d ms are %s, or %s for an option', (ms, text, option) => {
  expect(formatDuration(ms)).toBe(text)
  expect(roundDuration(ms)).toBe(option)
})
