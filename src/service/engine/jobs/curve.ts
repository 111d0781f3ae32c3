import { gaussian } from '../../../base/random/random.js'
import { evaluateFormula, type CurvePlace } from '../../../base/text/formula.js'
import type { Curve } from '../../scenario/scenario.js'

/** A gradient step of a job, on a curve. */
export interface CurvePoint {
  /** From 1. */
  step: number
  /** The number of steps of the curve. */
  of: number
  /** The seed of the noise: 32 bits for the job and the metric, and the step of the job. */
  noise: { key: number; index: number }
}

/** Returns the value of a metric at one gradient step. Takes the same time for every step. */
export function curveAt(curve: Curve, { step, of, noise }: CurvePoint): number {
  if (typeof curve === 'number') return curve
  const place = { step, of, progress: of > 1 ? (step - 1) / (of - 1) : 1 }
  if (typeof curve === 'function') return curve(place)
  const smooth = valueWithoutNoise(curve, place)
  if (!curve.noise) return smooth
  return smooth + curve.noise * gaussian(noise.key, noise.index)
}

type NamedCurve = Extract<Curve, { curve: string }>

function valueWithoutNoise(curve: NamedCurve, place: CurvePlace): number {
  const { step, progress } = place
  switch (curve.curve) {
    case 'constant':
      return curve.value
    case 'linear':
      return mix(curve, progress)
    case 'exponential':
      return approach(curve, progress)
    case 'sigmoid':
      return mix(curve, 1 / (1 + Math.exp(-curve.steepness * (progress - curve.midpoint))))
    case 'cosine':
      return mix(curve, (1 - Math.cos(Math.PI * progress)) / 2)
    case 'step':
      return step < curve.at ? curve.from : curve.to
    case 'plateau':
      return mix(curve, curve.by === 0 ? 1 : Math.min(1, progress / curve.by))
    case 'diverge':
      return diverge(curve, progress)
    case 'list':
      return curve.values[Math.min(step, curve.values.length) - 1]!
    case 'formula':
      return evaluateFormula(curve.formula, place)
  }
}

interface Span {
  from: number
  to: number
}

function mix({ from, to }: Span, share: number): number {
  return from + (to - from) * share
}

/** Approaches `to` exponentially. At the last step, less than a hundredth of the way is left. */
function approach({ from, to }: Span, progress: number): number {
  return to + (from - to) * Math.exp(-5 * progress)
}

/** Approaches `to` at first. From `at` on it grows, faster and faster, to `peak` at the last step. */
function diverge(curve: Span & { at: number; peak: number }, progress: number): number {
  const healthy = approach(curve, progress)
  if (progress <= curve.at) return healthy
  const beyond = (progress - curve.at) / (1 - curve.at)
  return healthy + (curve.peak - healthy) * (Math.expm1(8 * beyond) / Math.expm1(8))
}
