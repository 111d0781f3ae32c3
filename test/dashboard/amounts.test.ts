import { expect, it } from 'vitest'
import { bytesText, figure, lasting } from '../../src/dashboard/parts/amounts.js'

it.each([
  [0.84, '0.8 ms'],
  [9.96, '10 ms'],
  [12.34, '12 ms'],
  [999.7, '1 s'],
  [1234.5, '1.2 s'],
  [59_960, '1 m 0 s'],
  [119_700, '2 m 0 s'],
  [3_599_700, '1 h 0 m'],
  [7_199_000, '2 h 0 m'],
])('how long something took is shown in few digits: %s as %s', (took, text) => {
  expect(lasting(took)).toBe(text)
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1200, '1.2 kB'],
  [999_499, '999 kB'],
  [999_999, '1 MB'],
  [1_999_999_999_999, '2000 GB'],
])('shows a size in the largest unit that fits: %s as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

it.each([
  [0.000_005, '5e-6'],
  [0.895_91, '0.8959'],
  [999.94, '999.9'],
  [999.96, '1,000'],
  [1234, '1,234'],
  [12_345.6, '12,346'],
  [1_500_000.5, '1.5e+6'],
  ['NaN', 'NaN'],
  [null, 'null'],
  [undefined, ''],
])('shows any value as a text: %s as %s', (value, text) => {
  expect(figure(value)).toBe(text)
})
