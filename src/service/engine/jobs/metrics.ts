import { finite } from '../../../base/text/non-finite.js'
import { mix32 } from '../../../base/random/random.js'
import { curveAt } from './curve.js'
import type { Curve, GradientSteps, JobKind, SpoiledSteps } from '../../scenario/scenario.js'
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

/** A metric at a gradient step (from 1) of the job: always the same value, or one of each step. */
type StepValue = MetricValue | ((step: number) => MetricValue)
type MetricValue = number | null

/** The gradient steps from `start + 1` to `end`. They share one set of metrics. */
interface Segment {
  start: number
  end: number
  values: readonly (readonly [name: string, value: StepValue])[]
  /** The same metrics for `jsonAt`: the text before each value that differs from step to step. */
  written: readonly (readonly [before: string, valueAt: (step: number) => MetricValue])[]
  /** The text after the last of these values. */
  rest: string
  spoiled: ReadonlyMap<number, readonly SpoiledSteps[]>
}

/** The metrics of each gradient step of a job, the same on each call. */
export class StepMetrics {
  readonly #options: StepMetricsOptions
  #drawn: readonly Segment[] | undefined

  constructor(options: StepMetricsOptions) {
    this.#options = options
  }

  /** Whether some are functions of the scenario. */
  get callScenario(): boolean {
    return this.#options.gradients.some(({ metrics }) => {
      return Object.values(metrics).some((curve) => typeof curve === 'function')
    })
  }

  /** Returns the metrics of a gradient step (from 1). */
  at(step: number): Metrics {
    const segment = this.#segmentOf(step)
    if (segment === undefined) return { ...this.#options.submission.metrics }
    // Assigned one by one, because spreading into a copy is twenty times slower.
    const metrics: Metrics = {}
    for (const [name, value] of segment.values) {
      metrics[name] = typeof value === 'function' ? value(step) : value
    }
    for (const spoiled of segment.spoiled.get(step - segment.start) ?? [])
      spoilOne(metrics, spoiled)
    return metrics
  }

  /**
   * Returns the JSON of `at(step)`. Lists of events are written from it: without an object for each event, and
   * with the text that all events share, a page of 100 events takes a third of the time.
   */
  jsonAt(step: number): string {
    const segment = this.#segmentOf(step)
    if (!segment || segment.spoiled.has(step - segment.start)) return JSON.stringify(this.at(step))
    let json = ''
    for (const [before, valueAt] of segment.written) json += before + valueAt(step)
    return json + segment.rest
  }

  /** Returns the names of the metrics that have a bad value at a gradient step (from 1). */
  spoiledAt(step: number): readonly string[] {
    const segment = this.#segmentOf(step)
    return segment?.spoiled.get(step - segment.start)?.flatMap(({ metric }) => metric) ?? NOTHING
  }

  /** Undefined after the last step of the timeline. */
  #segmentOf(step: number): Segment | undefined {
    // Made when metrics are first read. Nobody reads the metrics of most jobs.
    return (this.#drawn ??= this.#draw()).find(({ end }) => step <= end)
  }

  #draw(): readonly Segment[] {
    const { gradients, submission, numSequences } = this.#options
    const counts = gradients.map(({ count = submission.sequences }) => count)
    const planned = counts.reduce((sum, count) => sum + count, 0)
    const length = Math.max(planned, numSequences)
    let start = 0
    return gradients.map((steps, index) => {
      const count = counts[index]!
      const isLast = index === gradients.length - 1
      // The curves of a job that ends early stop before their end.
      const own = { start, length: isLast ? Math.max(count, numSequences - start) : count }
      const values = this.#valuesOf(steps, { whole: { start: 0, length }, own })
      const segment = { start, end: start + count, values, spoiled: byStep(steps.spoil) }
      start += count
      return { ...segment, ...piecesOf(values) }
    })
  }

  /** The metrics of a segment, in the order of the JSON. */
  #valuesOf({ metrics }: GradientSteps, { whole, own }: Record<'whole' | 'own', Span>) {
    const { kind, submission, key } = this.#options
    const values: Record<string, StepValue> = { ...submission.metrics }
    if (kind === 'sft') values.gradient_step = (step) => step
    for (const [name, curve] of Object.entries({ ...usualMetrics[kind], ...metrics })) {
      // A curve of the scenario covers the steps of its segment. The usual ones cover the whole job.
      const span = Object.hasOwn(metrics, name) ? own : whole
      values[name] = valueOn(curve, span, mix32(keyOf(name) ^ key))
    }
    const rate = submission.learningRate
    if (rate !== undefined) values.learning_rate = rateOf(rate)
    return Object.entries(values)
  }
}

/** The steps that a curve covers: `length` steps after the step `start`. */
interface Span {
  start: number
  length: number
}

function valueOn(curve: Curve, { start, length }: Span, noise: number): StepValue {
  if (typeof curve === 'number') return finite(curve)
  return (step) => {
    const place = { step: step - start, of: length, noise: { key: noise, index: step } }
    return finite(rounded(curveAt(curve, place), curve))
  }
}

function rateOf(rate: NonNullable<Submission['learningRate']> | null): StepValue {
  if (typeof rate !== 'object' || rate === null) return rate
  return (step) => rate[Math.min(step, rate.length) - 1]!
}

function piecesOf(values: Segment['values']): Pick<Segment, 'written' | 'rest'> {
  const parts: [string, (step: number) => MetricValue][] = []
  let text = '{'
  values.forEach(([name, value], index) => {
    text += `${index === 0 ? '' : ','}${JSON.stringify(name)}:`
    if (typeof value !== 'function') text += JSON.stringify(value)
    else {
      parts.push([text, value])
      text = ''
    }
  })
  return { written: parts, rest: `${text}}` }
}

const NOTHING: readonly string[] = []

/** Six decimals, or six digits where these would leave less than three, as of a learning rate. */
function rounded(value: number, curve: Exclude<Curve, number>): number {
  // A list without noise has the values that it lists.
  if (typeof curve === 'object' && curve.curve === 'list' && !curve.noise) return value
  return Math.abs(value) < 1e-4 ? Number(value.toPrecision(6)) : Math.round(value * 1e6) / 1e6
}

function byStep(spoiled: readonly SpoiledSteps[]): ReadonlyMap<number, readonly SpoiledSteps[]> {
  const steps = new Map<number, SpoiledSteps[]>()
  for (const each of spoiled) {
    for (const at of [each.at].flat()) steps.set(at, [...(steps.get(at) ?? []), each])
  }
  return steps
}

function spoilOne(metrics: Metrics, { metric, with: bad }: SpoiledSteps): void {
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
 * The metrics that gradient steps have by default, with the names that real clients know: see docs/explain/contract.md#metrics.
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
