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
  readonly #runs: LatestMoments['runs']
  #size: number
  #last: number

  constructor({ size, last, runs }: LatestMoments = { size: 0, last: 0, runs: [] }) {
    this.#size = size
    this.#last = last
    this.#runs = copyOf(runs)
  }

  /** Adds the time of the next event, in milliseconds since the epoch. */
  add(at: number): void {
    const run = this.#runs.at(-1)
    const place = this.#size - (run?.[0] ?? 0)
    if (run && place === 1) run[2] = at - this.#last
    // Half a millisecond is less than a timestamp shows, and more than the sum of rounding errors.
    else if (!run || Math.abs(timeIn(run, this.#size) - at) > 0.5)
      this.#runs.push([this.#size, at, 0])
    this.#last = at
    this.#size++
  }

  get latest(): LatestMoments {
    return { size: this.#size, last: this.#last, runs: copyOf(this.#runs.slice(-RUNS_SAVED)) }
  }

  /** Returns the time of the event at `index`. The event must have been added. */
  at(index: number): number {
    let low = 0
    let high = this.#runs.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#runs[middle]![0] <= index) low = middle
      else high = middle - 1
    }
    return timeIn(this.#runs[low]!, index)
  }
}

type Run = LatestMoments['runs'][number]

function copyOf(runs: readonly Run[]): Run[] {
  return runs.map(([...run]) => run)
}

/** The time of the event at `index`, if it is in that run. */
function timeIn([first, start, space]: Run, index: number): number {
  return start + (index - first) * space
}
