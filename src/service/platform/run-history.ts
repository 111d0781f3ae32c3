import { TRAINING_ROW } from '../../base/text/vendor/platform-names.js'
import { LineStream } from './line-stream.js'
import { rowOf } from './run-row.js'

/** A range of the history of a run. */
export interface HistoryRange {
  /** The first step. Default: 0. */
  readonly minStep?: number | undefined
  /** The step after the last one. Default: no end. */
  readonly maxStep?: number | undefined
  /** The most rows. Others are left out at equal distances. Default: all. */
  readonly most?: number | undefined
}

/** What a run logged under one key. */
export interface HistoryKey {
  readonly type: string
  readonly count: number
  readonly last: unknown
}

/** The metrics of a run: one JSON object for each step, as its client sent it. */
export class RunHistory extends LineStream {
  /** The step of each line, so that a page is found without reading the lines. */
  readonly #steps: number[] = []

  /** The last step. -1 without lines. */
  get lastStep(): number {
    return this.#steps.reduce((last, step) => Math.max(last, step), -1)
  }

  /** The rows of a step below the one before them, each with the highest step before it. */
  get backward(): { step: number; after: number }[] {
    return falling(
      this.#steps.filter((step) => step >= 0),
      -1,
    )
  }

  /** The rows of training that name a step below that of a row before them, or below 0. */
  get backwardTraining(): { step: number; after: number }[] {
    const { step: key, metrics } = TRAINING_ROW
    const steps = this.lines.flatMap((line) => {
      if (!line.includes(key)) return []
      const row = rowOf(line) ?? {}
      const { [key]: step } = row
      const isOfTraining = Object.keys(row).some((name) => name.startsWith(metrics))
      return typeof step === 'number' && isOfTraining ? step : []
    })
    return falling(steps, 0)
  }

  override write(offset: number, lines: readonly string[]): void {
    super.write(offset, lines)
    while (this.#steps.length < offset) this.#steps.push(-1)
    for (const [index, line] of lines.entries()) {
      const place = offset + index
      this.#steps[place] = stepIn(line) ?? place
    }
  }

  override clear(): void {
    super.clear()
    this.#steps.length = 0
  }

  /** Returns the lines of a range, as they were sent. */
  range({ minStep = 0, maxStep = Infinity, most = Infinity }: HistoryRange = {}): string[] {
    const places = [...this.#steps.keys()].filter((place) => {
      const step = this.#steps[place]!
      return step >= minStep && step < maxStep && this.at(place) !== undefined
    })
    return spread(places, most).map((place) => this.at(place)!)
  }

  /** Returns rows that have all of the keys, with these keys alone. */
  sampled(keys: readonly string[], range: HistoryRange = {}): Record<string, unknown>[] {
    const rows = this.range({ ...range, most: undefined }).flatMap((line) => {
      const row = rowOf(line)
      if (!row || !keys.every((key) => Object.hasOwn(row, key))) return []
      return [Object.fromEntries(keys.map((key) => [key, row[key]]))]
    })
    return spread(rows, range.most ?? Infinity)
  }

  /** Returns what the run logged under each key, in the order of first use. */
  keys(): ReadonlyMap<string, HistoryKey> {
    const keys = new Map<string, HistoryKey>()
    for (const line of this.lines) {
      for (const [key, last] of Object.entries(rowOf(line) ?? {})) {
        keys.set(key, { type: typeOf(last), count: (keys.get(key)?.count ?? 0) + 1, last })
      }
    }
    return keys
  }
}

/** The steps below the highest one before them, which is `from` at first. */
function falling(steps: readonly number[], from: number): { step: number; after: number }[] {
  let after = from
  return steps.flatMap((step) => {
    if (step < after) return [{ step, after }]
    after = step
    return []
  })
}

/** The step that a row names itself. One inside of a value is none. */
function stepIn(line: string): number | undefined {
  const { _step: step } = rowOf(line) ?? {}
  return Number.isSafeInteger(step) && (step as number) >= 0 ? (step as number) : undefined
}

/** Returns at most `most` items at equal distances, the first and the last among them. */
export function spread<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  const length = Math.max(0, Math.floor(most))
  if (length <= 1) return items.slice(0, length)
  const distance = (items.length - 1) / (length - 1)
  return Array.from({ length }, (_, index) => items[Math.round(index * distance)]!)
}

function typeOf(value: unknown): string {
  if (value === null) return 'nil'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' ? 'map' : typeof value
}
