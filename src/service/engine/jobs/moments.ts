import { declared, type TypeFrom } from '../saved/declared.js'

export const momentsSchema = declared(({ strictObject, array, tuple, number, count, moment }) =>
  strictObject({
    /** The number of events. */
    size: count,
    /** The time of the last event. */
    last: moment,
    /** Runs of evenly spaced events: the index and the time of the first event, and the time between two. */
    runs: array(tuple([count, moment, number().nonnegative()])),
  }),
)

/** The latest times of a job's events, to save. */
export type LatestMoments = TypeFrom<typeof momentsSchema>

/** The number of runs that are saved. After a restart, earlier times are estimates. */
const RUNS_SAVED = 16

/**
 * The times of a job's events, as runs of evenly spaced events. Snapshots and data folders save the runs with
 * each change of a job, so their size must not grow with the number of events.
 */
export class Moments {
  // For each run: the index and the time of its first event, and the time between two events.
  readonly #firsts: number[] = []
  readonly #starts: number[] = []
  readonly #spaces: number[] = []
  #size: number
  #last: number

  constructor({ size, last, runs }: LatestMoments = { size: 0, last: 0, runs: [] }) {
    this.#size = size
    this.#last = last
    for (const [first, start, space] of runs) {
      this.#firsts.push(first)
      this.#starts.push(start)
      this.#spaces.push(space)
    }
  }

  /** Adds the time of the next event, in milliseconds since the epoch. */
  add(at: number): void {
    const run = this.#firsts.length - 1
    const place = this.#size - (this.#firsts[run] ?? 0)
    if (run >= 0 && place === 1) this.#spaces[run] = at - this.#last
    // Half a millisecond is less than a timestamp shows, and more than the sum of rounding errors.
    else if (run < 0 || Math.abs(this.#expected(run, place) - at) > 0.5) {
      this.#firsts.push(this.#size)
      this.#starts.push(at)
      this.#spaces.push(0)
    }
    this.#last = at
    this.#size++
  }

  get latest(): LatestMoments {
    const from = Math.max(0, this.#firsts.length - RUNS_SAVED)
    const runs = this.#firsts.slice(from).map((first, index): [number, number, number] => {
      return [first, this.#starts[from + index]!, this.#spaces[from + index]!]
    })
    return { size: this.#size, last: this.#last, runs }
  }

  /** Returns the time of the event at `index`. The event must have been added. */
  at(index: number): number {
    let low = 0
    let high = this.#firsts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#firsts[middle]! <= index) low = middle
      else high = middle - 1
    }
    return this.#expected(low, index - this.#firsts[low]!)
  }

  #expected(run: number, place: number): number {
    return this.#starts[run]! + place * this.#spaces[run]!
  }
}
