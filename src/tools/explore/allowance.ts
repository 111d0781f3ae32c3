import { wallNow } from '../../base/clock/wall.js'
import { milliseconds, roundDuration } from '../../base/text/duration.js'
import { DEFAULT_RUNS, DEFAULT_TIME } from './limits.js'
import type { Exploration, Trial, TrialResult } from './exploration.js'
import type { DrawnPart } from './part.js'

/** With fewer runs than this, none of them is left for what is drawn. With the default, all lists have room. */
const FEW_RUNS = 20
/** A time that is named has this much more than what should suffice. */
const MARGIN = 1.3
/** Before the first kill: the code ends somewhere, and another start of it has the rest to do. */
const KILLED = 1.5

/** A run that has not begun. */
interface NextRun {
  readonly isKilled?: boolean
}

/** The runs and the time that an exploration may take: what is left of them, and for what that suffices. */
export class Allowance {
  readonly runs: number
  /** Milliseconds. */
  readonly time: number
  readonly #now: () => number
  readonly #begun: number
  /** How long trials took that ended by themselves, and those in which the code was killed. */
  readonly #whole: number[] = []
  readonly #killed: number[] = []
  #taken = 0

  constructor({ runs, time, now }: Pick<Exploration, 'runs' | 'time' | 'now'>) {
    this.runs = runs ?? DEFAULT_RUNS
    this.time = time ?? milliseconds(DEFAULT_TIME)
    this.#now = now ?? wallNow
    this.#begun = this.#now()
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.#now() - this.#begun
  }

  /** How many runs are left. */
  get left(): number {
    return this.runs - this.#taken
  }

  /** Counts a run among those that are wanted. */
  take(): void {
    this.#taken++
  }

  /** Notes how long a trial took, with all that belongs to it. */
  ended({ kill }: Pick<Trial, 'kill'>, { ended }: TrialResult, took: number): void {
    if (ended !== 'timeout') (kill ? this.#killed : this.#whole).push(took)
  }

  /** How long the next run takes, in milliseconds: as those before it. 0 if that is not known. */
  expected({ isKilled = false }: NextRun = {}): number {
    if (!isKilled) return mean(this.#whole)
    return mean(this.#killed) || KILLED * mean(this.#whole)
  }

  /** Whether a run can end in time. */
  hasTimeFor(run: NextRun): boolean {
    return this.elapsed + this.expected(run) <= this.time
  }

  /** How many runs are left, without the shares of the parts that come later. */
  roomBefore(later: readonly DrawnPart[]): number {
    if (this.runs < FEW_RUNS) return this.left
    return later.reduce((room, { share }) => room - Math.floor(this.runs * share), this.left)
  }

  /** How many runs a part gets that draws its own. The lists come before all such parts. */
  roomFor({ share }: DrawnPart, later: readonly DrawnPart[]): number {
    if (this.runs < DEFAULT_RUNS) return this.roomBefore(later)
    const shares = later.reduce((sum, part) => sum + part.share, share)
    return Math.ceil((this.left * share) / shares)
  }

  /** A time with room for a run after so many whole ones, and some more. */
  neededTime(whole: number, run: NextRun): string {
    const least = whole * this.expected() + this.expected(run)
    const needed = MARGIN * Math.max(this.time, least)
    const step = needed < 60_000 ? 5000 : 60_000
    return roundDuration(Math.ceil(needed / step) * step)
  }
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
