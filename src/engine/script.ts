import picomatch from 'picomatch'
import { mix32, type Words } from '../world/random.js'
import { curveAt } from './curve.js'
import type { Curve, GradientSteps, JobKind, JobRule, TimelineStep } from './scenario.js'

/** What a rule may look at. */
export interface JobFacts {
  kind: JobKind
  model: string
  base_model: string
  ordinal: number
}

/** What a job brings along: how long it is, and the metrics that its own data decide. */
export interface Submission {
  sequences: number
  metrics: Readonly<Record<string, number>>
  learningRate?: number | readonly number[] | undefined
  /** Why it cannot be trained on, where it cannot: the job fails with these words. */
  flaw?: string | undefined
}

/** The first rule that matches, or the default one. */
export function chooseRule(rules: readonly JobRule[], facts: JobFacts): JobRule {
  return rules.find(({ match }) => matches(match, facts)) ?? DEFAULT_RULE
}

function matches({ kind, ordinal, model, base_model }: JobRule['match'], facts: JobFacts): boolean {
  return (
    (kind === undefined || kind === facts.kind) &&
    (ordinal === undefined || ordinal === facts.ordinal) &&
    (model === undefined || glob(model)(facts.model)) &&
    (base_model === undefined || glob(base_model)(facts.base_model))
  )
}

// A glob is compiled once for all the jobs that it is held against; no world leaves anything here.
const globs = new Map<string, (text: string) => boolean>()

function glob(pattern: string): (text: string) => boolean {
  let test = globs.get(pattern)
  if (!test) globs.set(pattern, (test = picomatch(pattern)))
  return test
}

const DEFAULT_RULE: JobRule = {
  match: {},
  timeline: [
    { event: 'training_started', after: 1000 },
    { event: 'gradient_step', every: 1000, within: 10_000, metrics: {} },
    { event: 'training_ended', after: 1000 },
  ],
}

/** One thing that a job does, `after` milliseconds after the one before it. */
export type Move =
  | { event: 'training_started'; after: number; data: Readonly<Record<string, unknown>> }
  | { event: 'gradient_step'; after: number }
  | { event: 'training_ended'; after: number }
  | { event: 'training_failed'; after: number; error_message: string }

/**
 * A rule applied to one job: the moves it makes, in order, and the metrics of each gradient step.
 * Moves are worked out when they are asked for, so a long job is no heavier than a short one.
 */
export class Script {
  readonly numSequences: number
  readonly #timeline: readonly TimelineStep[]
  readonly #submission: Submission
  readonly #gradients: readonly GradientSteps[]
  readonly #kind: JobKind
  #drawn: readonly Segment[] | undefined
  readonly #words: Words
  #position = 0
  #repetition = 0

  constructor(
    rule: JobRule,
    submission: Submission,
    { kind, words }: { kind: JobKind; words: Words },
  ) {
    this.#timeline = submission.flaw === undefined ? rule.timeline : flawed(submission.flaw)
    this.#submission = submission
    this.#words = words
    const gradients = this.#timeline.filter((step) => step.event === 'gradient_step')
    const scripted = gradients.reduce((sum, { count }) => sum + (count ?? submission.sequences), 0)
    const allScripted = gradients.length > 0 && gradients.every(({ count }) => count !== undefined)
    this.numSequences = rule.num_sequences ?? (allScripted ? scripted : submission.sequences)
    this.#gradients = gradients
    this.#kind = kind
  }

  /** The next move, or undefined when there is none: the job has ended, or never will. */
  next(): Move | undefined {
    const step = this.#timeline[this.#position]
    if (step === undefined || step.event === 'never') return undefined
    if (step.event !== 'gradient_step') {
      this.#position++
      return step.event === 'training_started' ? this.#start(step) : step
    }
    const count = step.count ?? this.#submission.sequences
    if (this.#repetition === count) {
      this.#position++
      this.#repetition = 0
      return this.next()
    }
    const first = this.#repetition++ === 0
    const every = Math.min(step.every, (step.within ?? Infinity) / count)
    return { event: 'gradient_step', after: first ? (step.after ?? every) : every }
  }

  /** The data of the gradient step `step` (from 1): the same whenever it is asked for. */
  metricsAt(step: number): Record<string, number> {
    const segment = this.#segments.find(({ end }) => step <= end)
    // Assigned one by one: adding to a spread copy is twenty times as slow.
    const metrics: Record<string, number> = {}
    for (const name in this.#submission.metrics) metrics[name] = this.#submission.metrics[name]!
    if (segment === undefined) return metrics
    if (segment.kind === 'sft') metrics.gradient_step = step
    for (const { name, curve, key } of segment.curves) {
      const noiseKey = mix32(key ^ this.#words[0])
      const value = curveAt(curve, { step: step - segment.start, of: segment.length, noiseKey })
      metrics[name] = typeof curve === 'number' ? value : Math.round(value * 1e6) / 1e6
    }
    const rate = this.#submission.learningRate
    if (rate !== undefined) {
      metrics.learning_rate =
        typeof rate === 'number' ? rate : rate[Math.min(step, rate.length) - 1]!
    }
    return metrics
  }

  /** Made when the first metrics are read, which for most of many jobs is never. */
  get #segments(): readonly Segment[] {
    return (this.#drawn ??= this.#draw())
  }

  #draw(): readonly Segment[] {
    const segments = segmentsOf(this.#gradients, this.#submission.sequences, this.#kind)
    // A job cut short breaks off its curves where it would have been half-way.
    const last = segments.at(-1)
    if (last) last.length = Math.max(last.length, this.numSequences - last.start)
    return segments
  }

  #start(step: TimelineStep & { event: 'training_started' }): Move {
    return {
      event: 'training_started',
      after: step.after,
      data: { num_sequences: this.numSequences, ...step.data },
    }
  }
}

/** Data that cannot be trained on is found when training begins, as the real service does. */
function flawed(reason: string): readonly TimelineStep[] {
  return [{ event: 'training_failed', after: 500, error_message: reason }]
}

/** Gradient steps `start + 1` to `end` follow one set of curves. */
interface Segment {
  kind: JobKind
  start: number
  end: number
  /** How many steps the curves are drawn over. */
  length: number
  curves: readonly { name: string; curve: Curve; key: number }[]
}

function segmentsOf(
  gradients: readonly GradientSteps[],
  sequences: number,
  kind: JobKind,
): readonly Segment[] {
  let start = 0
  return gradients.map(({ count = sequences, metrics }) => {
    const named = Object.entries({ ...usualMetrics[kind], ...metrics })
    const curves = named.map(([name, curve]) => ({ name, curve, key: keyOf(name) }))
    const segment = { kind, start, end: start + count, length: count, curves }
    start += count
    return segment
  })
}

function keyOf(name: string): number {
  let key = 0
  for (let i = 0; i < name.length; i++) key = mix32(key ^ name.charCodeAt(i))
  return key
}

/**
 * What the gradient steps of an ordinary job report, under the names that real clients know
 * (contract-facts section 8). A scenario's `metrics` replace them by name.
 */
const usualMetrics: Readonly<Record<JobKind, Readonly<Record<string, Curve>>>> = {
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
