import type { Series } from '../../emulator/control/schemas/jobs.js'
import { isNotFinite, type Line, type NotFinite } from './line.js'
import { compareMetricNames } from '../parts/metrics.js'

type Column = (number | null)[]

const EMPTY: Series = { steps: [], metrics: {}, not_finite: {} }

/** The values of each metric per step, in columns that grow at the end. */
export class Curves {
  readonly steps: number[]
  /** How many of the first values stand for a range of steps, because the job has too many steps. */
  readonly #thinned: number
  readonly #metrics: Map<string, Column>
  readonly #notFinite: Map<string, NotFinite[]>

  constructor({ steps, metrics, not_finite }: Series = EMPTY) {
    this.steps = [...steps]
    this.#thinned = steps.length < (steps.at(-1) ?? 0) ? steps.length : 0
    this.#metrics = new Map(Object.entries(metrics).map(([name, values]) => [name, [...values]]))
    this.#notFinite = new Map(
      Object.entries(not_finite).map(([name, runs]) => [name, runs.map((run) => ({ ...run }))]),
    )
  }

  /** The names of the metrics, the usual ones first. */
  get names(): string[] {
    return [...this.#metrics.keys()].sort(compareMetricNames)
  }

  get last(): number {
    return this.steps.at(-1) ?? 0
  }

  column(name: string): readonly (number | null)[] {
    return this.#metrics.get(name) ?? []
  }

  notFinite(name: string): readonly NotFinite[] {
    return this.#notFinite.get(name) ?? []
  }

  /** The curve of a metric. */
  line(name: string): Line {
    return {
      label: name,
      color: '--accent',
      xs: this.steps,
      ys: this.column(name),
      notFinite: this.notFinite(name),
      thinned: this.#thinned,
    }
  }

  /** Adds the metrics of a step. A known step changes nothing. A value that is not a number is a gap. */
  append(step: number, metrics: Readonly<Record<string, unknown>>): void {
    if (step <= this.last) return
    for (const name of Object.keys(metrics)) {
      if (!this.#metrics.has(name))
        this.#metrics.set(
          name,
          this.steps.map(() => null),
        )
    }
    this.steps.push(step)
    for (const [name, column] of this.#metrics) {
      const value = metrics[name]
      column.push(typeof value === 'number' ? value : null)
      if (isNotFinite(value)) this.#addNotFinite(name, value, step)
    }
  }

  #addNotFinite(name: string, value: NotFinite['value'], step: number): void {
    const runs = this.#notFinite.get(name) ?? []
    this.#notFinite.set(name, runs)
    const last = runs.at(-1)
    if (last?.value === value && last.to === step - 1) last.to = step
    else runs.push({ value, from: step, to: step })
  }
}
