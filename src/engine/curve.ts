import { gaussian } from '../world/random.js'
import type { Curve } from './scenario.js'

/** The place of a value on its curve. `step` counts from 1. */
export interface CurvePoint {
  step: number
  of: number
  /** 32 bits that stand for job and metric: the noise is drawn from them. */
  noiseKey: number
}

/** The value of a metric at one gradient step; a pure function, so any step costs the same. */
export function curveAt(curve: Curve, point: CurvePoint): number {
  if (typeof curve === 'number') return curve
  const smooth = smoothAt(curve, point)
  if (!curve.noise) return smooth
  return smooth + curve.noise * gaussian(point.noiseKey, point.step)
}

function smoothAt(curve: Exclude<Curve, number>, { step, of }: CurvePoint): number {
  const progress = of > 1 ? (step - 1) / (of - 1) : 1
  switch (curve.curve) {
    case 'constant':
      return curve.value
    case 'linear':
      return curve.from + (curve.to - curve.from) * progress
    case 'exponential':
      // Five time constants: the last step is within a hundredth of the way to `to`.
      return curve.to + (curve.from - curve.to) * Math.exp(-5 * progress)
    case 'sigmoid': {
      const share = 1 / (1 + Math.exp(-curve.steepness * (progress - curve.midpoint)))
      return curve.from + (curve.to - curve.from) * share
    }
    case 'step':
      return step < curve.at ? curve.from : curve.to
    case 'list':
      return curve.values[Math.min(step, curve.values.length) - 1]!
  }
}
