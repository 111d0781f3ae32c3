import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../../src/index.js'
import { curveAt } from '../../../../src/service/engine/jobs/curve.js'
import type { Curve } from '../../../../src/service/scenario/scenario.js'

function drawn(curve: Curve, steps = 5): number[] {
  return Array.from({ length: steps }, (_, index) =>
    Number(curveAt(curve, { step: index + 1, of: steps, noise: { key: 1, index } }).toFixed(3)),
  )
}

describe('the curve of a metric', () => {
  it.each<[Curve, number[]]>([
    [2, [2, 2, 2, 2, 2]],
    [{ curve: 'constant', value: 3 }, [3, 3, 3, 3, 3]],
    [{ curve: 'linear', from: 0, to: 1 }, [0, 0.25, 0.5, 0.75, 1]],
    [{ curve: 'exponential', from: 1, to: 0 }, [1, 0.287, 0.082, 0.024, 0.007]],
    [{ curve: 'step', from: 1, to: 5, at: 3 }, [1, 1, 5, 5, 5]],
    [{ curve: 'list', values: [3, 1] }, [3, 1, 1, 1, 1]],
    [
      { curve: 'sigmoid', from: 0, to: 1, midpoint: 0.5, steepness: 10 },
      [0.007, 0.076, 0.5, 0.924, 0.993],
    ],
    [{ curve: 'cosine', from: 1, to: 0 }, [1, 0.854, 0.5, 0.146, 0]],
    [{ curve: 'plateau', from: 1, to: 0, by: 0.5 }, [1, 0.5, 0, 0, 0]],
    [{ curve: 'diverge', from: 1, to: 0, at: 0.5, peak: 100 }, [1, 0.287, 0.082, 1.822, 100]],
    [{ curve: 'formula', formula: '1 / step + progress * of' }, [1, 1.75, 2.833, 4, 5.2]],
    [({ step, of }) => of - step, [4, 3, 2, 1, 0]],
  ])('%j', (curve, values) => {
    expect(drawn(curve)).toEqual(values)
  })

  it('is no formula that the seed does not decide', () => {
    const loss: Curve = { curve: 'formula', formula: 'step + random()' }
    const timeline = [{ event: 'gradient_step' as const, metrics: { loss } }]
    expect(() => createEmulator({ scenario: { name: 'own', jobs: [{ timeline }] } })).toThrow(
      'random() has no seed: use the key noise',
    )
  })

  it('has its final value if there is only one step', () => {
    expect(drawn({ curve: 'linear', from: 0, to: 1 }, 1)).toEqual([1])
  })

  it('has the same noise at every read, and other noise for another key', () => {
    const noisy: Curve = { curve: 'constant', value: 0, noise: 1 }
    expect(drawn(noisy)).toEqual(drawn(noisy))
    const other = curveAt(noisy, { step: 1, of: 5, noise: { key: 2, index: 0 } })
    expect(drawn(noisy)[0]).not.toBe(Number(other.toFixed(3)))
  })
})
