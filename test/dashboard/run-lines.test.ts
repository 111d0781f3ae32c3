import { describe, expect, it } from 'vitest'
import { runLines } from '../../src/dashboard/data/run-lines.js'

describe('the curves of a run', () => {
  it('are those of its metrics, the usual ones first', () => {
    const rows = [{ step: 1, values: { lr: 0.1, name: 'poem', 'train/loss': 2 } }]
    expect(runLines(rows).map(({ label }) => label)).toEqual(['train/loss', 'lr'])
  })

  it('have the steps at which a value is no number, in ranges', () => {
    const values = ['NaN', 'NaN', 1, 'NaN', 'Infinity']
    const [loss] = runLines(values.map((value, at) => ({ step: at + 1, values: { loss: value } })))
    expect(loss).toMatchObject({
      ys: [null, null, 1, null, null],
      notFinite: [
        { value: 'NaN', from: 1, to: 2 },
        { value: 'NaN', from: 4, to: 4 },
        { value: 'Infinity', from: 5, to: 5 },
      ],
    })
  })
})
