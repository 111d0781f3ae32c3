import type { Series } from '../control/schemas.js'
import { byInterest } from './wording.js'

/** The course of each metric over the steps, in columns that grow at their end. */
export class Curves {
  readonly steps: number[]
  readonly #metrics: Map<string, (number | null)[]>

  constructor({ steps, metrics }: Series = { steps: [], metrics: {} }) {
    this.steps = [...steps]
    this.#metrics = new Map(Object.entries(metrics).map(([name, values]) => [name, [...values]]))
  }

  /** The names, those first that most people look for. */
  get names(): string[] {
    return [...this.#metrics.keys()].sort(byInterest)
  }

  get last(): number {
    return this.steps.at(-1) ?? 0
  }

  column(name: string): readonly (number | null)[] {
    return this.#metrics.get(name) ?? []
  }

  /** Adds what a step told. A step that is there already changes nothing; what is no number is a gap. */
  append(step: number, told: Readonly<Record<string, unknown>>): void {
    if (step <= this.last) return
    for (const name of Object.keys(told)) {
      if (!this.#metrics.has(name))
        this.#metrics.set(
          name,
          this.steps.map(() => null),
        )
    }
    this.steps.push(step)
    for (const [name, column] of this.#metrics) {
      const value = told[name]
      column.push(typeof value === 'number' ? value : null)
    }
  }
}
