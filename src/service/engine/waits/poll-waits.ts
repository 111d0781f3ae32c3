import type { Clock } from '../../../base/clock/clock.js'
import type { RequestEntry } from '../journal-entry.js'
import { momentOf, timeBetween, type Moment } from './moment.js'
import { RecentCalls } from './recent-calls.js'

/** Shorter pauses are none, in milliseconds. */
const SHORTEST_PAUSE = 50
/** How much real time counts: a call alone may take long on a busy machine. */
const REAL_TIME = 0.1
/** A client may read a job twice for two reasons, but not this often. */
const MOST_POLLS = 5

/** Whether clients pause between polls of a job that goes on. */
export class PollWaits {
  /** How often a client first polled a job again, although no time had passed and nothing was new. */
  busyPolls: number | undefined
  readonly #clock: Clock
  /** The last poll of each job, if it told nothing new. */
  readonly #open = new RecentCalls<{ since: Moment; polls: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call it when a request comes, with what `pollOf` returns. */
  arrived(poll: string): void {
    const last = this.#open.get(poll)
    if (!last) return
    const hasWaited = timeBetween(last.since, momentOf(this.#clock), REAL_TIME) >= SHORTEST_PAUSE
    last.polls = hasWaited ? 0 : last.polls + 1
  }

  /** Call it when a request is answered. */
  answered(poll: string, { jobView, faults, status }: RequestEntry): void {
    if (this.#open.size === 0 && !jobView) return
    const tellsMore = jobView?.over !== false || jobView.shown !== undefined || faults.length > 0
    if (tellsMore || status !== 200) {
      this.#open.delete(poll)
      return
    }
    const polls = this.#open.get(poll)?.polls ?? 0
    this.#open.set(poll, { since: momentOf(this.#clock), polls })
    if (polls >= MOST_POLLS) this.busyPolls ??= polls + 1
  }
}

/** Tells polls apart: who reads which job in which way. */
export function pollOf({ headers, method, path }: RequestEntry): string {
  return `${headers.authorization} ${method} ${path}`
}
