import type { Clock } from '../clock/clock.js'
import type { Job } from './jobs/job.js'
import type { Training } from './jobs/training.js'

/**
 * Which events each key has been shown of each job. Under the `auto` clock, asking for news where
 * there is none moves time to the job's next event, so that no client ever waits.
 */
export class News {
  readonly #clock: Clock
  readonly #training: Training
  readonly #shown = new Map<string, number>()

  constructor(clock: Clock, training: Training) {
    this.#clock = clock
    this.#training = training
  }

  /**
   * To be called before answering a poll that would show the job's events up to `upTo` (a count).
   * Returns true where time moved, so that the answer must be made anew.
   */
  await(job: Job, { key, upTo }: { key: string; upTo: number }): boolean {
    if (this.#clock.mode !== 'auto') return false
    const before = job.eventCount
    if (upTo > (this.#shown.get(`${key} ${job.id}`) ?? 0)) return false
    // The next event may wait for other jobs of the model, so everything due goes first, in order.
    while (job.eventCount === before && this.#training.willMove(job) && this.#clock.next());
    return job.eventCount !== before
  }

  show(job: Job, { key, upTo }: { key: string; upTo: number }): void {
    if (this.#clock.mode !== 'auto') return
    const place = `${key} ${job.id}`
    this.#shown.set(place, Math.max(upTo, this.#shown.get(place) ?? 0))
  }
}
