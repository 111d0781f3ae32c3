import { finite } from '../../text/json-text.js'
import { mix32 } from '../../random/random.js'
import { curveAt } from './curve.js'
import type { Curve, GradientSteps, JobKind, Spoiled } from '../../scenario/scenario.js'
import type { Submission } from './submission.js'

/**
 * The metrics of a gradient step, by name. Only bad values from the scenario are `NaN` or infinite. Other
 * numbers that are not finite become null.
 */
export type Metrics = Record<string, number | string | null>

interface StepMetricsOptions {
  kind: JobKind
  gradients: readonly GradientSteps[]
  submission: Submission
  numSequences: number
  /** 32 bits that identify the job. */
  key: number
}

/** The gradient steps from `start + 1` to `end`. They share one set of curves. */
interface Segment {
  start: number
  end: number
  /** The number of steps of the curves. */
  length: number
  curves: readonly Drawn[]
  spoiled: ReadonlyMap<number, readonly Spoiled[]>
}

interface Drawn {
  name: string
  curve: Curve
  noise: number
  /** Whether the curve covers the whole job. A curve of the scenario covers the steps of its segment. */
  coversJob: boolean
}

/** The metrics of each gradient step of a job, the same on each call. */
export class StepMetrics {
  readonly #options: StepMetricsOptions
  #drawn: readonly Segment[] | undefined

  constructor(options: StepMetricsOptions) {
    this.#options = options
  }

  /** Returns the metrics of a gradient step (from 1). */
  at(step: number): Metrics {
    const { kind, submission, key } = this.#options
    const segment = this.#segments.find(({ end }) => step <= end)
    // Assigned one by one, because spreading into a copy is twenty times slower.
    const metrics: Metrics = {}
    for (const name in submission.metrics) metrics[name] = submission.metrics[name]!
    if (segment === undefined) return metrics
    if (kind === 'sft') metrics.gradient_step = step
    for (const { name, curve, noise, coversJob } of segment.curves) {
      const value = curveAt(curve, {
        step: coversJob ? step : step - segment.start,
        of: coversJob ? this.#length : segment.length,
        noise: { key: mix32(noise ^ key), index: step },
      })
      metrics[name] = finite(rounded(value, curve))
    }
    const rate = submission.learningRate
    if (rate !== undefined) {
      const isSchedule = typeof rate === 'object' && rate !== null
      metrics.learning_rate = isSchedule ? rate[Math.min(step, rate.length) - 1]! : rate
    }
    for (const spoiled of segment.spoiled.get(step - segment.start) ?? [])
      spoilOne(metrics, spoiled)
    return metrics
  }

  /** Returns the names of the metrics that have a bad value at a gradient step (from 1). */
  spoiledAt(step: number): readonly string[] {
    const segment = this.#segments.find(({ end }) => step <= end)
    return segment?.spoiled.get(step - segment.start)?.flatMap(({ metric }) => metric) ?? NOTHING
  }

  /** Made when metrics are first read. Nobody reads the metrics of most jobs. */
  get #segments(): readonly Segment[] {
    return (this.#drawn ??= this.#draw())
  }

  /** The number of steps of curves that cover the whole job. */
  get #length(): number {
    return Math.max(this.#segments.at(-1)?.end ?? 0, this.#options.numSequences)
  }

  #draw(): readonly Segment[] {
    const { kind, gradients, submission, numSequences } = this.#options
    let start = 0
    const segments = gradients.map(({ count = submission.sequences, metrics, spoil }) => {
      const curves = Object.entries({ ...usualMetrics[kind], ...metrics }).map(([name, curve]) => {
        return { name, curve, noise: keyOf(name), coversJob: !Object.hasOwn(metrics, name) }
      })
      const spoiled = byStep(spoil)
      const segment = { start, end: start + count, length: count, curves, spoiled }
      start += count
      return segment
    })
    // The curves of a job that ends early stop before their end.
    const last = segments.at(-1)
    if (last) last.length = Math.max(last.length, numSequences - last.start)
    return segments
  }
}

const NOTHING: readonly string[] = []

function rounded(value: number, curve: Curve): number {
  if (typeof curve === 'number') return value
  // A list without noise has the values that it lists.
  if (typeof curve === 'object' && curve.curve === 'list' && !curve.noise) return value
  return Math.round(value * 1e6) / 1e6
}

function byStep(spoiled: readonly Spoiled[]): ReadonlyMap<number, readonly Spoiled[]> {
  const steps = new Map<number, Spoiled[]>()
  for (const each of spoiled) {
    for (const at of [each.at].flat()) steps.set(at, [...(steps.get(at) ?? []), each])
  }
  return steps
}

function spoilOne(metrics: Metrics, { metric, with: bad }: Spoiled): void {
  for (const name of [metric].flat()) {
    if (bad === 'missing') delete metrics[name]
    else if (bad === 'null') metrics[name] = null
    else metrics[name] = typeof bad === 'object' ? bad.text : Number(bad)
  }
}

function keyOf(name: string): number {
  let key = 0
  for (let i = 0; i < name.length; i++) key = mix32(key ^ name.charCodeAt(i))
  return key
}

/**
 * The metrics that gradient steps have by default, with the names that real clients know: see docs/contract.md#metrics.
 * The `metrics` of a scenario replace metrics of the same name.
 */
export const usualMetrics: Readonly<Record<JobKind, Readonly<Record<string, Curve>>>> = {
  rl: {
    loss: { curve: 'exponential', from: 0.9, to: 0.3, noise: 0.01 },
    policy_loss: { curve: 'exponential', from: 0.85, to: 0.28, noise: 0.01 },
    entropy: { curve: 'linear', from: 1.2, to: 0.8, noise: 0.01 },
    kl_div: { curve: 'linear', from: 0, to: 0.02 },
    grad_norm: { curve: 'exponential', from: 1.8, to: 0.4, noise: 0.02 },
    learning_rate: 5e-6,
  },
  sft: {
    loss: { curve: 'exponential', from: 2.4, to: 0.6, noise: 0.02 },
    grad_norm: { curve: 'exponential', from: 3, to: 0.5, noise: 0.02 },
    tokens_per_second: { curve: 'constant', value: 2400, noise: 50 },
    learning_rate: 2e-4,
  },
}
