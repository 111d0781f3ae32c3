import { TRAINING_ROW } from '../../base/text/vendor/platform-names.js'
import { parseJson } from '../../base/text/json-text.js'
import { isRecord } from '../contract/pydantic/record.js'
import { LineStream } from './line-stream.js'

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
    return sampled(places, most).map((place) => this.at(place)!)
  }

  /** Returns rows that have all of the keys, with these keys alone. */
  sampled(keys: readonly string[], range: HistoryRange = {}): Record<string, unknown>[] {
    const rows = this.range({ ...range, most: undefined }).flatMap((line) => {
      const row = rowOf(line)
      if (!row || !keys.every((key) => Object.hasOwn(row, key))) return []
      return [Object.fromEntries(keys.map((key) => [key, row[key]]))]
    })
    return sampled(rows, range.most ?? Infinity)
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

/** A line of a history as an object. Undefined if it is none. */
export function rowOf(line: string): Record<string, unknown> | undefined {
  const row = parseJson(line)
  return isRecord(row) ? row : undefined
}

/**
 * What a program logged in a row, or set in a summary, by name. An object in it has its values under names such as
 * `loss.policy`. Names that begin with an underscore are left out: the SDK adds them.
 */
export function metricsIn(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const add = (name: string, value: unknown): void => {
    if (!isPlain(value)) values[name] = value
    else for (const [key, each] of Object.entries(value)) add(`${name}.${key}`, each)
  }
  for (const [name, value] of Object.entries(row)) if (!name.startsWith('_')) add(name, value)
  return values
}

/** Media, such as a histogram, has a type of its own, and stays as it is. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !('_type' in value)
}

/** Returns the number in a value of a row: the SDK writes one that is not finite as a text. */
export function numberIn(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && NOT_FINITE.has(value) ? Number(value) : undefined
}

const NOT_FINITE = new Set(['NaN', 'Infinity', '-Infinity'])

/** Returns at most `most` items at equal distances, the first and the last among them. */
export function sampled<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items]
  if (most <= 1) return items.slice(0, Math.max(0, most))
  const distance = (items.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => items[Math.round(index * distance)]!)
}

function typeOf(value: unknown): string {
  if (value === null) return 'nil'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' ? 'map' : typeof value
}
