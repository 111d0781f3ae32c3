import type { Series } from './schemas.js'
import type { Job } from '../engine/jobs/job.js'

type Column = (number | null)[]

/**
 * The metrics of a job's gradient steps, as columns of at most `points` values. A longer job is cut
 * into buckets, each shown by two values of each metric, its least and its greatest in the order in
 * which they came, at the bucket's first and last step; so no peak is lost, and a chart looks the same.
 */
export function seriesOf(job: Job, points: number): Series {
  const count = job.gradientSteps
  return count <= points ? wholeSeries(job) : thinned(job, Math.floor(points / 2))
}

function wholeSeries({ gradientSteps, script }: Job): Series {
  const steps: number[] = []
  const columns = new Map<string, Column>()
  for (let step = 1; step <= gradientSteps; step++) {
    const metrics = script.metricsAt(step)
    for (const name in metrics)
      columnFor(columns, name, gradientSteps)[step - 1] = plain(metrics[name])
    steps.push(step)
  }
  return { steps, metrics: Object.fromEntries(columns) }
}

function thinned({ gradientSteps, script }: Job, buckets: number): Series {
  const steps: number[] = []
  const columns = new Map<string, Column>()
  for (let bucket = 0; bucket < buckets; bucket++) {
    const first = Math.floor((bucket * gradientSteps) / buckets) + 1
    const last = Math.floor(((bucket + 1) * gradientSteps) / buckets)
    const extremes = new Map<string, Extremes>()
    for (let step = first; step <= last; step++) {
      const metrics = script.metricsAt(step)
      for (const name in metrics) widen(extremes, name, plain(metrics[name]))
    }
    for (const [name, { least, greatest, rising }] of extremes) {
      const column = columnFor(columns, name, 2 * buckets)
      column[2 * bucket] = rising ? least : greatest
      column[2 * bucket + 1] = rising ? greatest : least
    }
    steps.push(first, last)
  }
  return { steps, metrics: Object.fromEntries(columns) }
}

interface Extremes {
  least: number
  greatest: number
  /** Whether the greatest came after the least. */
  rising: boolean
}

function widen(extremes: Map<string, Extremes>, name: string, value: number | null): void {
  if (value === null) return
  const known = extremes.get(name)
  if (!known) {
    extremes.set(name, { least: value, greatest: value, rising: true })
  } else if (value > known.greatest) {
    known.greatest = value
    known.rising = true
  } else if (value < known.least) {
    known.least = value
    known.rising = false
  }
}

function columnFor(columns: Map<string, Column>, name: string, length: number): Column {
  let column = columns.get(name)
  if (!column) columns.set(name, (column = Array.from<null>({ length }).fill(null)))
  return column
}

/** Null where a chart has nothing to draw. */
function plain(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
