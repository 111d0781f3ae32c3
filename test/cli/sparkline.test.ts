import { describe, expect, it } from 'vitest'
import { sparkline } from '../../src/cli/report/sparkline.js'

describe('a sparkline', () => {
  it.each<[string, readonly unknown[], string]>([
    ['rises', [0, 1, 2, 3, 4, 5, 6, 7], '▁▂▃▄▅▆▇█'],
    ['falls', [1, 0.5, 0], '█▅▁'],
    ['stays', [3, 3, 3], '▄▄▄'],
    ['has nothing to show', [], ''],
    ['shows what is not finite', [0, Number.NaN, Infinity, 1], '▁××█'],
    ['shows what is no number', [0, undefined, null, 'x', 1], '▁···█'],
    ['has no number at all', ['x', Number.NaN], '·×'],
    ['spans more than a number can say', [-Number.MAX_VALUE, Number.MAX_VALUE], '▁█'],
  ])('%s', (_name, values, expected) => {
    expect(sparkline(values)).toBe(expected)
  })

  it('fits a long series into 60 columns', () => {
    const line = sparkline(Array.from({ length: 1001 }, (_, index) => index))
    expect(line).toHaveLength(60)
    expect(line).toMatch(/^▁+▂+▃+▄+▅+▆+▇+█+$/)
  })

  it('shows a bad value among many good ones', () => {
    const values = Array.from({ length: 1000 }, (_, index) => (index === 500 ? Number.NaN : index))
    expect(sparkline(values).match(/×/g)).toHaveLength(1)
  })
})

it('a sparkline of equal values is level, although their means differ in the last digit', () => {
  const values = Array.from({ length: 3000 }, () => 0.1)
  expect(new Set(sparkline(values, 19))).toEqual(new Set(['▄']))
})
