import type { Clock } from '../../base/clock/clock.js'
import type { Job } from './jobs/job.js'
import type { Training } from './jobs/training.js'

/** The parts of the engine that skip time. */
interface SkippingWorld {
  readonly clock: Pick<Clock, 'mode' | 'next'>
  readonly training: Pick<Training, 'willMove'>
}

/** A poll of a job. */
interface Poll {
  /** Who polls: an API key, and the operation if it has a rhythm of its own. */
  key: string
  /** The number of events that the answer would show, counted from the first event of the job. */
  upTo: number
}

/**
 * Remembers how many events of a job each API key has seen. Under the `auto` clock, a poll that would show no
 * new event skips time, so that clients never wait for the emulator.
 */
export class AutoSkip {
  readonly #world: SkippingWorld
  /** By the key. They go with the job. */
  readonly #seen = new WeakMap<Job, Map<string, number>>()

  constructor(world: SkippingWorld) {
    this.#world = world
  }

  /**
   * Call it before the answer to a poll that shows how far a job is. If the key has seen all of its events, time skips
   * to the next one.
   */
  skipToNextEvent(job: Job, key: string): void {
    if (this.#showsNothingNew(job, { key, upTo: job.events.count })) {
      this.#skip(job, (before) => job.events.count === before)
    }
    this.markSeen(job, { key, upTo: job.events.count })
  }

  /**
   * Call it before the answer to a poll that lists events. If the key has seen all that the answer would show, time
   * skips to the next pause in the timeline of the job, or to its end.
   */
  skipToNextPause(job: Job, poll: Poll): void {
    if (this.#showsNothingNew(job, poll)) {
      this.#skip(job, (before) => job.events.count === before || job.goesOnWithoutPause)
    }
  }

  markSeen(job: Job, { key, upTo }: Poll): void {
    if (this.#world.clock.mode !== 'auto') return
    const seen = this.#seen.get(job) ?? new Map<string, number>()
    this.#seen.set(job, seen)
    seen.set(key, Math.max(upTo, seen.get(key) ?? 0))
  }

  #showsNothingNew(job: Job, { key, upTo }: Poll): boolean {
    if (this.#world.clock.mode !== 'auto') return false
    return upTo <= (this.#seen.get(job)?.get(key) ?? 0)
  }

  #skip(job: Job, goesOn: (before: number) => boolean): void {
    const { clock, training } = this.#world
    const before = job.events.count
    // The next event may wait for other jobs of the model, so all tasks before it run first, in order.
    while (goesOn(before) && training.willMove(job) && clock.next());
  }
}
