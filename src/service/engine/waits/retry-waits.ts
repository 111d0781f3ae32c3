import { numberIn, waitIn } from '../../contract/retry-after.js'
import type { Clock } from '../../../base/clock/clock.js'
import type { Outcome } from '../../contract/exchange.js'
import type { RequestEntry } from '../journal-entry.js'
import { momentOf, timeBetween, type Moment } from './moment.js'
import { RecentCalls } from './recent-calls.js'

/** The same call came again before the wait that a refusal named was over. */
export interface EarlyReturn {
  /** The id of the call that came too early. */
  readonly request: number
  /** The id of the call that was refused. */
  readonly refused: number
  /** Milliseconds that the refusal named. */
  readonly wait: number
  /** Whether the library of the client says that it is the retry of that call. Else it may be that of another task. */
  readonly isSaid: boolean
}

/** Clients ignore longer waits: some use their own pause instead, and some give up. */
export const LONGEST_WAIT = 60_000

/** Timers may ring a little early, and some clients vary their pauses. */
const TOLERANCE = 0.9

/** More early returns than this are not remembered. */
const MOST_EARLY = 1000

interface OpenWait {
  readonly refused: number
  /** How often the refused call had been made before, if its library says so. */
  readonly tries: number | undefined
  readonly wait: number
  readonly since: Moment
}

/**
 * How long clients waited after refusals with `Retry-After`. Virtual clocks skip the wait when a call is refused, so
 * the clock of the world alone cannot tell.
 */
export class RetryWaits {
  /** The first calls that came back too early, in their order. */
  readonly early: EarlyReturn[] = []
  /** How much faster than real time the pauses of clients pass: 20 if a pause of 20 s takes 1 s. */
  pace = 1
  readonly #clock: Clock
  /** By the call that was refused. */
  readonly #open = new RecentCalls<OpenWait[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Call it when a request comes. */
  arrived(entry: RequestEntry): void {
    if (this.#open.size === 0) return
    const call = identityOf(entry)
    const waits = this.#open.get(call)
    if (!waits) return
    const now = momentOf(this.#clock)
    const tries = triesIn(entry)
    // The call may be that of another task: one that begins, or one whose wait is over.
    const own = waits.filter((each) => tries === undefined || each.tries === tries - 1)
    const over = own.find(({ since, wait }) => {
      return timeBetween(since, now, this.pace) >= wait * TOLERANCE
    })
    const ended = over ?? own[0]
    if (!ended) return
    waits.splice(waits.indexOf(ended), 1)
    if (waits.length === 0) this.#open.delete(call)
    if (over || this.early.length >= MOST_EARLY) return
    const { refused, wait } = ended
    this.early.push({ request: entry.id, refused, wait, isSaid: tries !== undefined })
  }

  /** Call it when a request is answered. */
  answered(entry: RequestEntry, outcome: Outcome): void {
    if (outcome.kind !== 'response' || outcome.status < 400) return
    const wait = waitIn(outcome.headers, { now: this.#clock.now() })
    if (wait === undefined || wait <= 0 || wait > LONGEST_WAIT) return
    const call = identityOf(entry)
    const waits = this.#open.get(call) ?? []
    this.#open.set(call, waits)
    waits.push({ refused: entry.id, tries: triesIn(entry), wait, since: momentOf(this.#clock) })
  }
}

/** The same for a call that a client makes again. */
function identityOf({ headers, host, method, path, query, bodyText }: RequestEntry): string {
  return JSON.stringify([headers.authorization, host, method, path, query, bodyText])
}

/** How often a call was made before, if the library of the client says so. */
function triesIn({ headers }: RequestEntry): number | undefined {
  return numberIn(headers['x-stainless-retry-count'])
}
