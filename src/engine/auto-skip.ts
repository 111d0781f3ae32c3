import type { Clock } from '../clock/clock.js'
import type { Job } from './jobs/job.js'
import type { Training } from './jobs/training.js'

/**
 * Remembers which events of a job each API key has seen. Under the `auto` clock, a poll that would
 * show no new event skips time to the job's next event, so that no client ever waits.
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
   * Call it before you answer a poll that would show the job's events up to `upTo` (a count). If the
   * key has seen them all, time skips to the job's next event.
   */
  skipToNextEvent(job: Job, { key, upTo }: { key: string; upTo: number }): void {
    if (this.#clock.mode !== 'auto') return
    if (upTo > (this.#seen.get(`${key} ${job.id}`) ?? 0)) return
    const before = job.eventCount
    // The next event may wait for other jobs of the model, so everything due goes first, in order.
    while (job.eventCount === before && this.#training.willMove(job) && this.#clock.next());
  }

  markSeen(job: Job, { key, upTo }: { key: string; upTo: number }): void {
    if (this.#clock.mode !== 'auto') return
    const place = `${key} ${job.id}`
    this.#seen.set(place, Math.max(upTo, this.#seen.get(place) ?? 0))
  }
}
