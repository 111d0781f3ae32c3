import type { Outcome } from '../../contract/exchange.js'
import type { RequestEntry } from '../journal-entry.js'
import { PollPauses, type PolledWorld } from './poll-pauses.js'
import { PollWaits, pollOf } from './poll-waits.js'
import { RetryWaits } from './retry-waits.js'

/** How clients wait: before they retry a refused call, and between polls of a job. Checks and warnings read it. */
export class ClientWaits {
  readonly retries: RetryWaits
  readonly polls: PollWaits
  readonly #pauses: PollPauses

  /** @param realNow Returns the real time in milliseconds. */
  constructor(world: PolledWorld, realNow?: () => number) {
    this.retries = new RetryWaits(world.clock)
    this.polls = new PollWaits(world.clock)
    this.#pauses = new PollPauses(world, realNow)
  }

  /**
   * Call it when a request comes.
   *
   * @returns What to call when it is answered.
   */
  arrived(entry: RequestEntry): (outcome: Outcome) => void {
    const poll = pollOf(entry)
    this.retries.arrived(entry)
    this.polls.arrived(poll)
    this.#pauses.arrived(poll)
    return (outcome) => {
      this.retries.answered(entry, outcome)
      this.polls.answered(poll, entry)
      this.#pauses.answered(poll, entry)
    }
  }
}
