import type { BaseWorld } from '../base-world.js'
import { counted } from '../../../base/text/counted.js'
import type { Job } from './job.js'

/** How many jobs a world keeps, if nobody says another number. */
export const MOST_JOBS = 20_000

/**
 * Limits the jobs of a world, so that a world that runs for days does not grow. It forgets the oldest jobs that are
 * over. It keeps unfinished jobs and the latest job of each model: the number and the id of the next job follow from
 * that one.
 */
export class OldJobs {
  readonly #world: BaseWorld
  readonly #most: number
  /** It forgets some jobs at once, because it looks through all of them. */
  readonly #slack: number
  /** How many jobs may not be forgotten, when it last looked. */
  #needed = 0

  constructor(world: BaseWorld, most = MOST_JOBS) {
    this.#world = world
    this.#most = most
    this.#slack = Math.floor(most / 10)
  }

  /** Forgets jobs if there are too many. Call it with each new job. */
  check({ cause }: Job): void {
    const { store, changes, journal } = this.#world
    if (store.jobs.size <= Math.max(this.#most, this.#needed) + this.#slack) return
    const before = store.jobs.size
    for (const job of store.jobs.values()) {
      if (store.jobs.size <= this.#most) break
      if (this.#mayForget(job)) store.forgetJob(job)
    }
    this.#needed = store.jobs.size
    const forgotten = before - this.#needed
    if (forgotten === 0) return
    // Records are gone, and only a whole world says so.
    changes.all()
    journal.note(
      `forgot the ${counted(forgotten, 'oldest job')} that ${forgotten === 1 ? 'is' : 'are'} over: it keeps ${this.#most.toLocaleString('en-US')} (--keep-jobs)`,
      cause,
    )
  }

  #mayForget(job: Job): boolean {
    return job.over && this.#world.store.model(job.model.id)?.jobs.at(-1) !== job
  }
}
