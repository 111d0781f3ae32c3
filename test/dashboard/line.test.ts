import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvOf, lastOf, stepsAt, valuesAt } from '../../src/dashboard/kit/line.js'
import { runs } from '../support/runs.js'

const line = (label: string, ys: (number | null)[] = []) => ({
  label,
  color: '--accent',
  xs: ys.map((_, at) => at + 1),
  ys,
  notFinite: [],
})

/** The cells of a CSV text, as a spreadsheet reads them. */
function cellsOf(csv: string): string[] {
  return Array.from(csv.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(?:,|\r\n)/g), (found) =>
    (found[1] ?? found[2]!).replaceAll('""', '"'),
  )
}

describe('a CSV file of curves', () => {
  it.each([
    "-1+cmd|' /C calc'!A0",
    '=1+1',
    '+1',
    '-cmd',
    '-1.5-',
    '-.5',
    '-Infinity()',
    '@SUM(A1)',
    '\t=1+1',
    '\r=1+1',
    '\n=1+1',
    ' =1+1',
    '\u00a0=1+1',
    '\ufeff=1+1',
    '\u0000=1+1',
    '"=1+1',
    "'=1+1",
    '“=1+1',
    '＝1+1',
    '＋1',
    '－1',
    '＠SUM(A1)',
    '−1',
  ])('has no formula for the label %j', (label) => {
    expect(cellsOf(csvOf([line(label)]))).toEqual(['step', `'${label}`])
  })

  it.each(['poet #1', 'a=b', 'a-b', 'poet "the 2nd", #1', "poet's", 'é', '1+1', ''])(
    'shows the label %j as it is',
    (label) => {
      expect(cellsOf(csvOf([line(label)]))).toEqual(['step', label])
    },
  )

  it('has every number as it is', () => {
    expect(csvOf([line('loss', [-1.5, 0, 1e21, -1e-7, null])])).toBe(
      'step,loss\r\n1,-1.5\r\n2,0\r\n3,1e+21\r\n4,-1e-7\r\n',
    )
    const broken = { value: '-Infinity', from: 1, to: 1 } as const
    expect(csvOf([{ ...line('loss', [2]), notFinite: [broken] }])).toBe(
      'step,loss\r\n1,-Infinity\r\n',
    )
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (value) => {
        expect(csvOf([line('loss', [value])])).toBe(`step,loss\r\n1,${value}\r\n`)
      }),
      runs(300),
    )
  })
})

describe('the values of a curve', () => {
  const spoilt = {
    ...line('loss', [3, null, 2]),
    notFinite: [{ value: 'NaN', from: 2, to: 2 } as const],
  }

  it('are those at a step, or the latest one', () => {
    expect(valuesAt(spoilt, 1)).toEqual([3])
    expect(valuesAt(spoilt, 2)).toEqual(['NaN'])
    expect(valuesAt(spoilt, null)).toEqual([2])
    expect(valuesAt(line('loss'), null)).toEqual([])
  })

  it('end with NaN if nothing finite follows', () => {
    expect(lastOf({ ...spoilt, ys: [3, null, null] })).toBe('NaN')
  })

  it('are several where a point stands for two steps', () => {
    const thinned = { ...spoilt, xs: [10, 20, 30], ys: [3, 2, 1], thinned: 2 }
    const notFinite = [{ value: 'NaN', from: 15, to: 15 } as const]
    expect(stepsAt(thinned, 20)).toEqual([10, 20])
    expect(valuesAt({ ...thinned, notFinite }, 20)).toEqual([2, 'NaN'])
    const twice = [...notFinite, { value: 'Infinity', from: 16, to: 17 } as const]
    expect(valuesAt({ ...thinned, notFinite: twice }, 20)).toEqual([2, 'NaN', 'Infinity'])
    expect(stepsAt(thinned, 30)).toEqual([30, 30])
  })
})
