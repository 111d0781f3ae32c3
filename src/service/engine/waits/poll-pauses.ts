import type { BaseWorld } from '../base-world.js'
import { wallNow } from '../../../base/clock/wall.js'
import type { Job } from '../jobs/job.js'
import type { Training } from '../jobs/training.js'
import type { RequestEntry } from '../journal-entry.js'
import { RecentCalls } from './recent-calls.js'
import type { Warnings } from '../warnings.js'

export interface PolledWorld extends BaseWorld {
  readonly training: Pick<Training, 'willMove'>
  readonly warnings: Warnings
}

/** A shorter time without any call is not a pause of the client, in milliseconds of real time. */
const SHORTEST_PAUSE = 500
/** A warning comes after this number of pauses between polls of one job. */
const MOST_PAUSES = 3

interface PolledJob {
  readonly job: string
  /** The request that created the job. */
  readonly cause: number | undefined
  pauses: number
  waited: number
}

/**
 * How long clients pause in real time between polls of a job that goes on. Only time in which nobody calls counts. A
 * refusal may ask for a pause, so the count starts again.
 */
export class PollPauses {
  readonly #world: PolledWorld
  readonly #realNow: () => number
  /** What was polled, by its call. */
  readonly #open = new RecentCalls<PolledJob>()
  #underWay = 0
  #idleSince = 0

  /** @param realNow Returns the real time in milliseconds. */
  constructor(world: PolledWorld, realNow: () => number = wallNow) {
    this.#world = world
    this.#realNow = realNow
  }

  /** Call it when a request comes, with what `pollOf` returns. */
  arrived(poll: string): void {
    const isIdle = this.#underWay++ === 0
    if (this.#open.size === 0 || !isIdle) return
    const paused = this.#realNow() - this.#idleSince
    const polled = paused < SHORTEST_PAUSE ? undefined : this.#open.get(poll)
    if (!polled) return
    polled.pauses++
    polled.waited += paused
    if (polled.pauses === MOST_PAUSES) this.#warn(polled)
  }

  /** Call it when a request is answered. */
  answered(poll: string, { jobView, faults, status }: RequestEntry): void {
    this.#underWay--
    if (this.#open.size === 0 && !jobView) return
    this.#idleSince = this.#realNow()
    const isFine = jobView?.over === false && faults.length === 0 && status === 200
    const job = isFine ? this.#movingJob(jobView.jobId) : undefined
    if (!job) this.#open.delete(poll)
    else if (!this.#open.has(poll)) {
      this.#open.set(poll, { job: job.id, cause: job.cause, pauses: 0, waited: 0 })
    }
  }

  /** Somebody moves a manual clock by hand, and the end of a stalled job is a time limit of the client. */
  #movingJob(id: string): Job | undefined {
    const { clock, store, training } = this.#world
    const job = store.jobs.get(id)
    return job && clock.mode !== 'manual' && training.willMove(job) ? job : undefined
  }

  #warn({ job, cause, waited, pauses }: PolledJob): void {
    const { clock, scenario, warnings } = this.#world
    const isReal = clock.mode === 'real'
    // Such a scenario needs the time that it takes.
    if (isReal && scenario.clock?.mode === 'real') return
    warnings.give(
      isReal ? 'real-time-polls' : 'sleeping-client',
      { job, waited, polls: pauses + 1 },
      cause,
    )
  }
}
