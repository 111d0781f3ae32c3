import { gaussian } from '../../random/random.js'
import { evaluateFormula, type CurvePlace } from '../../text/formula.js'
import type { Curve } from '../../scenario/scenario.js'

/** A place on a curve. `step` counts from 1. */
export interface CurvePoint {
  step: number
  of: number
  /** The seed of the noise: 32 bits for the job and the metric, and the step of the job. */
  noise: { key: number; index: number }
}

/** Returns the value of a metric at one gradient step. Each step costs the same. */
export function curveAt(curve: Curve, { step, of, noise }: CurvePoint): number {
  if (typeof curve === 'number') return curve
  const place = { step, of, progress: of > 1 ? (step - 1) / (of - 1) : 1 }
  if (typeof curve === 'function') return curve(place)
  const smooth = smoothAt(curve, place)
  if (!curve.noise) return smooth
  return smooth + curve.noise * gaussian(noise.key, noise.index)
}

type NamedCurve = Extract<Curve, { curve: string }>

function smoothAt(curve: NamedCurve, place: CurvePlace): number {
  const { step, progress } = place
  switch (curve.curve) {
    case 'constant':
      return curve.value
    case 'linear':
      return mix(curve, progress)
    case 'exponential':
      return settling(curve, progress)
    case 'sigmoid':
      return mix(curve, 1 / (1 + Math.exp(-curve.steepness * (progress - curve.midpoint))))
    case 'cosine':
      return mix(curve, (1 - Math.cos(Math.PI * progress)) / 2)
    case 'step':
      return step < curve.at ? curve.from : curve.to
    case 'plateau':
      return mix(curve, curve.by === 0 ? 1 : Math.min(1, progress / curve.by))
    case 'diverge':
      return diverging(curve, progress)
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

/** Five time constants: the last step is within a hundredth of the way to `to`. */
function settling({ from, to }: Span, progress: number): number {
  return to + (from - to) * Math.exp(-5 * progress)
}

/** Approaches `to` at first, and grows ever faster from `at` on, to `peak` at the last step. */
function diverging(curve: Span & { at: number; peak: number }, progress: number): number {
  const healthy = settling(curve, progress)
  if (progress <= curve.at) return healthy
  const beyond = (progress - curve.at) / (1 - curve.at)
  return healthy + (curve.peak - healthy) * (Math.expm1(8 * beyond) / Math.expm1(8))
}
