import type { Clock } from '../clock/clock.js'
import type { Job } from './jobs/job.js'
import type { Training } from './jobs/training.js'

/**
 * Remembers how many events of a job each API key has seen. Under the `auto` clock, a poll that would show no
 * new event skips time to the next event of the job, so that clients never wait.
 */
export class AutoSkip {
  readonly #clock: Clock
  readonly #training: Training
  readonly #seen = new Map<string, number>()

  constructor(clock: Clock, training: Training) {
    this.#clock = clock
    this.#training = training
  }

  /**
   * Call it before the response to a poll. If the key has seen the first `upTo` events of the job, time skips to
   * the next event.
   */
  skipToNextEvent(job: Job, { key, upTo }: { key: string; upTo: number }): void {
    if (this.#clock.mode !== 'auto') return
    if (upTo > (this.#seen.get(`${key} ${job.id}`) ?? 0)) return
    const before = job.eventCount
    // The next event may wait for other jobs of the model, so all tasks before it run first, in order.
    while (job.eventCount === before && this.#training.willMove(job) && this.#clock.next());
  }

  markSeen(job: Job, { key, upTo }: { key: string; upTo: number }): void {
    if (this.#clock.mode !== 'auto') return
    const place = `${key} ${job.id}`
    this.#seen.set(place, Math.max(upTo, this.#seen.get(place) ?? 0))
  }
}
