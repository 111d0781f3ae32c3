import type { Series } from '../control/schemas.js'
import { compareMetricNames } from './wording.js'

/** The values of each metric per step, in columns that grow at the end. */
export class Curves {
  readonly steps: number[]
  readonly #metrics: Map<string, (number | null)[]>

  constructor({ steps, metrics }: Pick<Series, 'steps' | 'metrics'> = { steps: [], metrics: {} }) {
    this.steps = [...steps]
    this.#metrics = new Map(Object.entries(metrics).map(([name, values]) => [name, [...values]]))
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

  /** Adds the metrics of a step. A known step changes nothing. A value that is not a number becomes a gap. */
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
    }
  }
}
