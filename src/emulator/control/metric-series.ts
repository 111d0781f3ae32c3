import { finite } from '../../base/text/json-text.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Series } from './schemas/jobs.js'

type Column = (number | null)[]

/**
 * The metrics of a job's gradient steps, as columns. A longer job is divided into buckets of steps. Each bucket
 * keeps the steps at which a metric has its least and its greatest value, so no peak is lost. Each value is the
 * value of its step.
 */
export function seriesOf(found: Job, points: number): Series {
  const { script } = found
  const { gradientSteps } = found.progress
  const bad = new NonFiniteRuns(points)
  const steps = gradientSteps <= points ? upTo(gradientSteps) : thinnedSteps(found, points, bad)
  const columns = new Map<string, Column>()
  for (const [row, step] of steps.entries()) {
    const metrics = script.metrics.at(step)
    // The steps of a longer job were all seen before.
    if (gradientSteps <= points) bad.add(step, metrics)
    for (const name in metrics) {
      columnFor(columns, name, steps.length)[row] = finite(metrics[name])
    }
  }
  return { steps, metrics: Object.fromEntries(columns), not_finite: bad.runs }
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}

/** Chooses at most `points` steps of a job, among them the first and the last one. */
function thinnedSteps(
  { progress: { gradientSteps }, script }: Job,
  points: number,
  bad: NonFiniteRuns,
): number[] {
  const width = 2 * Object.keys(script.metrics.at(1)).length
  const buckets = Math.max(1, Math.floor(points / Math.max(2, width)))
  const steps: number[] = []
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = Math.floor((bucket * gradientSteps) / buckets) + 1
    const last = Math.floor(((bucket + 1) * gradientSteps) / buckets)
    const extremes = new Map<string, Extremes>()
    for (let step = first; step <= last; step++) {
      const metrics = script.metrics.at(step)
      bad.add(step, metrics)
      for (const name in metrics) widen(extremes, step, { name, value: metrics[name] })
    }
    const most =
      Math.floor(((bucket + 1) * points) / buckets) - Math.floor((bucket * points) / buckets)
    const chosen = new Set<number>()
    if (first === 1) chosen.add(first)
    if (last === gradientSteps) chosen.add(last)
    for (const step of candidates([...extremes.values()], { first, last, most })) {
      if (chosen.size >= most) break
      chosen.add(step)
    }
    steps.push(...[...chosen].sort((one, other) => one - other))
  }
  return steps
}

/** The steps that a bucket should keep, the most important ones first: extremes, then others at equal distances. */
function* candidates(
  extremes: readonly Extremes[],
  { first, last, most }: { first: number; last: number; most: number },
): Generator<number> {
  for (const { least, greatest } of extremes) yield* [greatest.step, least.step]
  for (let place = 0; place < most; place++) {
    yield first + Math.floor((place * (last - first + 1)) / most)
  }
}

interface Extremes {
  least: { step: number; value: number }
  greatest: { step: number; value: number }
}

interface MetricValue {
  name: string
  value: unknown
}

function widen(extremes: Map<string, Extremes>, step: number, { name, value }: MetricValue): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) return
  const known = extremes.get(name)
  if (!known) extremes.set(name, { least: { step, value }, greatest: { step, value } })
  else if (value > known.greatest.value) known.greatest = { step, value }
  else if (value < known.least.value) known.least = { step, value }
}

type Run = NonNullable<Series['not_finite'][string]>[number]

/** Finds the steps at which a metric is NaN or infinite: runs of steps with the same value, by metric. */
class NonFiniteRuns {
  readonly runs: Record<string, Run[]> = {}
  readonly #most: number

  /** @param most The most runs of a metric. */
  constructor(most: number) {
    this.#most = most
  }

  /** Call it for each step, in order. */
  add(step: number, metrics: Readonly<Record<string, unknown>>): void {
    for (const name in metrics) {
      const value = metrics[name]
      if (typeof value === 'number' && !Number.isFinite(value)) {
        this.#addTo(name, step, String(value) as Run['value'])
      }
    }
  }

  #addTo(name: string, step: number, value: Run['value']): void {
    const runs = (this.runs[name] ??= [])
    const latest = runs.at(-1)
    if (latest?.to === step - 1 && latest.value === value) latest.to = step
    else if (runs.length < this.#most) runs.push({ from: step, to: step, value })
  }
}

function columnFor(columns: Map<string, Column>, name: string, length: number): Column {
  let column = columns.get(name)
  if (!column) columns.set(name, (column = Array.from<null>({ length }).fill(null)))
  return column
}
