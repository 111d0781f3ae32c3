import { finite } from '../../base/text/non-finite.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Series } from './schemas/jobs.js'

type Column = (number | null)[]

/** The metrics of a gradient step. */
interface Row {
  readonly step: number
  readonly metrics: Readonly<Record<string, unknown>>
}

/**
 * The metrics of a job's gradient steps, as columns. A longer job is divided into buckets of steps. Each bucket
 * keeps the steps at which a metric has its least and its greatest value, so no peak is lost. Each value is the
 * value of its step.
 */
export function seriesOf(job: Job, points: number): Series {
  const notFinite = new NonFiniteRuns(points)
  const rows = bucketsOf(job, points).flatMap((bucket) => {
    const all = rowsOf(job, bucket)
    for (const row of all) notFinite.add(row)
    return all.length <= bucket.room ? all : thinned(all, bucket)
  })
  const columns = new Map<string, Column>()
  for (const [place, { metrics }] of rows.entries()) {
    for (const name in metrics) {
      columnFor(columns, name, rows.length)[place] = finite(metrics[name])
    }
  }
  const steps = rows.map(({ step }) => step)
  return {
    steps,
    metrics: Object.fromEntries(columns),
    not_finite: Object.fromEntries(notFinite.runs),
  }
}

/** Steps that follow each other. */
interface Bucket {
  readonly first: number
  readonly last: number
  /** How many of them are kept. */
  readonly room: number
  /** Those that are kept in any case: the first and the last one of the job. */
  readonly ends: readonly number[]
}

/** Divides the steps of a job. One with few steps is one bucket. */
function bucketsOf({ progress: { gradientSteps }, script }: Job, points: number): Bucket[] {
  const ends = [1, gradientSteps]
  if (gradientSteps <= points) {
    return [{ first: 1, last: gradientSteps, room: gradientSteps, ends }]
  }
  const width = 2 * Object.keys(script.metrics.at(1)).length
  const count = Math.max(1, Math.floor(points / Math.max(2, width)))
  const share = (bucket: number, of: number): number => Math.floor((bucket * of) / count)
  return Array.from({ length: count }, (_, bucket) => {
    const first = share(bucket, gradientSteps) + 1
    const last = share(bucket + 1, gradientSteps)
    const room = share(bucket + 1, points) - share(bucket, points)
    return { first, last, room, ends: ends.filter((step) => first <= step && step <= last) }
  })
}

function rowsOf({ script }: Job, { first, last }: Bucket): Row[] {
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const step = first + index
    return { step, metrics: script.metrics.at(step) }
  })
}

/** Chooses the most important rows of a bucket: extremes, then others at equal distances. */
function thinned(rows: readonly Row[], { first, room, ends }: Bucket): Row[] {
  const extremes = new Map<string, Extremes>()
  for (const { step, metrics } of rows) {
    for (const name in metrics) widen(extremes, step, { name, value: metrics[name] })
  }
  const candidates = [
    ...[...extremes.values()].flatMap(({ least, greatest }) => [greatest.step, least.step]),
    ...Array.from({ length: room }, (_, place) => first + Math.floor((place * rows.length) / room)),
  ]
  const chosen = new Set(ends)
  for (const step of candidates) if (chosen.size < room) chosen.add(step)
  return rows.filter(({ step }) => chosen.has(step))
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
  readonly runs = new Map<string, Run[]>()
  readonly #most: number

  /** @param most The most runs of a metric. */
  constructor(most: number) {
    this.#most = most
  }

  /** Call it for each step, in order. */
  add({ step, metrics }: Row): void {
    for (const name in metrics) {
      const value = metrics[name]
      if (typeof value === 'number' && !Number.isFinite(value)) {
        this.#addTo(name, step, String(value) as Run['value'])
      }
    }
  }

  #addTo(name: string, step: number, value: Run['value']): void {
    const runs = this.runs.get(name) ?? []
    this.runs.set(name, runs)
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
