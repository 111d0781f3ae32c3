import { curveAt } from '../engine/jobs/curve.js'
import type { Curve } from '../scenario/scenario.js'
import { significant } from './round.js'

/** A curve as a scenario has it. */
export type WrittenCurve = Exclude<Curve, (...args: never[]) => unknown>

/** The values of a metric, one for each step. Undefined where a step has no number. */
export interface Series {
  values: readonly (number | undefined)[]
  /** The number of steps of the curve. More than there are values if the job ended early. */
  of: number
}

/**
 * Up to this many values, a curve must give each value to six decimals, or the values are listed. Longer series may
 * be described by a curve with noise.
 */
const MOST_LISTED = 50

/** A curve with noise describes a series if the noise is at most this share of the range of the values. */
const MOST_NOISE = 0.25

/** Returns the simplest curve for a series. */
export function fitCurve(series: Series): WrittenCurve {
  const points = pointsOf(series)
  const exact = exactCurve(series, points)
  if (exact !== undefined) return exact
  if (series.values.length > MOST_LISTED) {
    const noisy = noisyCurve(points)
    if (noisy) return noisy
  }
  return listed(series)
}

/** Whether a curve gives each value of a series: to six decimals, or a number without a curve exactly. */
export function gives(curve: Curve, { values, of }: Series): boolean {
  return values.every((value, index) => {
    return value === undefined || isSame(valueOf(curve, { step: index + 1, of }), value)
  })
}

interface Point {
  /** From 1. */
  step: number
  progress: number
  value: number
}

function pointsOf({ values, of }: Series): Point[] {
  return values.flatMap((value, index) => {
    if (value === undefined) return []
    return [{ step: index + 1, progress: of > 1 ? index / (of - 1) : 1, value }]
  })
}

/** The value that a job has: see `StepMetrics`. */
function valueOf(curve: Curve, { step, of }: { step: number; of: number }): number {
  const value = curveAt(curve, { step, of, noise: { key: 0, index: 0 } })
  return isExact(curve) ? value : Math.round(value * 1e6) / 1e6
}

function isExact(curve: Curve): boolean {
  return typeof curve === 'number' || (typeof curve === 'object' && curve.curve === 'list')
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) <= Math.abs(other) * 1e-12
}

function exactCurve(series: Series, points: readonly Point[]): WrittenCurve | undefined {
  const [first] = points
  if (!first) return undefined
  if (points.every(({ value }) => value === first.value)) return first.value
  // Two values are always on a line, which says less than the values.
  if (points.length < 3) return undefined
  for (const candidate of candidates(points)) {
    // With as many numbers as values, any curve fits.
    const numbers = Object.keys(candidate).length - 1
    if (points.length <= numbers) continue
    for (const digits of [2, 3, 4, 5, 6, 8, 12]) {
      const curve = rounded(candidate, digits)
      if (gives(curve, series)) return curve
    }
  }
  return undefined
}

function* candidates(points: readonly Point[]): Generator<NamedCurve> {
  for (const shape of SHAPES) {
    const fitted = leastSquares(points, shape.share)
    if (fitted) yield { curve: shape.curve, ...fitted }
  }
  const [first, second] = points as [Point, Point]
  const last = points.at(-1)!
  const different = points.filter(({ value }) => value !== first.value)
  if (different.every(({ value }) => value === last.value)) {
    const at = different[0]!.step
    if (points.every(({ step, value }) => step < at || value === last.value)) {
      yield { curve: 'step', from: first.value, to: last.value, at }
    }
  }
  const slope = (second.value - first.value) / (second.progress - first.progress)
  if (first.step === 1 && slope !== 0) {
    const by = (last.value - first.value) / slope
    if (by > 0 && by <= 1) yield { curve: 'plateau', from: first.value, to: last.value, by }
  }
  for (let at = 1; at < 20; at++) {
    const diverging = divergeFrom(points, at / 20)
    if (diverging) yield diverging
  }
  for (let midpoint = 1; midpoint < 20; midpoint++) {
    for (let steepness = 2; steepness <= 30; steepness++) {
      const middle = midpoint / 20
      const share = (at: number): number => 1 / (1 + Math.exp(-steepness * (at - middle)))
      const fitted = leastSquares(points, share)
      if (fitted) yield { curve: 'sigmoid', ...fitted, midpoint: middle, steepness }
    }
  }
}

type NamedCurve = Extract<WrittenCurve, { curve: string }>

/** Curves between `from` and `to`, by the share of the way that is left behind. */
const SHAPES = [
  { curve: 'linear', share: (progress: number) => progress },
  { curve: 'exponential', share: (progress: number) => 1 - Math.exp(-5 * progress) },
  { curve: 'cosine', share: (progress: number) => (1 - Math.cos(Math.PI * progress)) / 2 },
] as const

/** Fits `from + (to - from) * share`. */
function leastSquares(
  points: readonly Point[],
  share: (progress: number) => number,
): { from: number; to: number } | undefined {
  const shares = points.map(({ progress }) => share(progress))
  const meanShare = mean(shares)
  const meanValue = mean(points.map(({ value }) => value))
  let covariance = 0
  let variance = 0
  for (const [index, each] of shares.entries()) {
    covariance += (each - meanShare) * (points[index]!.value - meanValue)
    variance += (each - meanShare) ** 2
  }
  if (variance === 0) return undefined
  const rise = covariance / variance
  const from = meanValue - rise * meanShare
  return { from, to: from + rise }
}

/** Fits a curve that grows to a peak. Its healthy part comes from the values before, its peak from the last one. */
function divergeFrom(points: readonly Point[], at: number): NamedCurve | undefined {
  const before = points.filter(({ progress }) => progress <= at)
  const last = points.at(-1)!
  if (before.length < 2 || last.progress < 1) return undefined
  const healthy = leastSquares(before, SHAPES[1].share)
  return healthy && { curve: 'diverge', ...healthy, at, peak: last.value }
}

function rounded(curve: NamedCurve, digits: number): NamedCurve {
  const entries = Object.entries(curve).map(([name, value]) => {
    const isNumber = typeof value === 'number' && name !== 'at'
    return [name, isNumber ? roundedNumber(value, digits) : value] as const
  })
  return Object.fromEntries(entries) as NamedCurve
}

/** Rounds to significant digits, and a number that is nearly nothing to zero. */
function roundedNumber(value: number, digits: number): number {
  return Math.abs(value) < 1e-9 ? 0 : significant(value, digits)
}

/** Returns the curve with the least noise, if it describes the points well. */
function noisyCurve(points: readonly Point[]): NamedCurve | undefined {
  const values = points.map(({ value }) => value)
  const range = values.reduce((most, value) => Math.max(most, value), -Infinity)
  const least = values.reduce((low, value) => Math.min(low, value), Infinity)
  const constant = deviation(points.map(({ value }) => value - mean(values)))
  let best: { curve: NamedCurve; noise: number } | undefined
  for (const { curve, share } of SHAPES) {
    const fitted = leastSquares(points, share)
    if (!fitted) continue
    const { from, to } = fitted
    const noise = deviation(
      points.map(({ progress, value }) => value - from - (to - from) * share(progress)),
    )
    if (!best || noise < best.noise) best = { curve: { curve, from, to }, noise }
  }
  if (!best || best.noise > MOST_NOISE * (range - least)) return undefined
  // A slope that explains next to nothing is only noise.
  if (best.noise > 0.97 * constant) {
    return {
      curve: 'constant',
      value: significant(mean(values), 4),
      noise: significant(constant, 2),
    }
  }
  const { curve, noise } = best
  return { ...rounded(curve, 3), noise: significant(noise, 2) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function deviation(residuals: readonly number[]): number {
  return Math.sqrt(mean(residuals.map((value) => value ** 2)))
}

/** Lists the values. Where a step has none, the value before stands in, because something must. */
function listed({ values }: Series): WrittenCurve {
  let before = values.find((value) => value !== undefined) ?? 0
  const filled = values.map((value) => (before = value ?? before))
  while (filled.length > 1 && filled.at(-1) === filled.at(-2)) filled.pop()
  return { curve: 'list', values: filled }
}
