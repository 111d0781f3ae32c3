import type { Clock } from '../../base/clock/clock.js'
import { wallNow } from '../../base/clock/wall.js'
import { counted } from '../../base/text/counted.js'
import type { Job } from './jobs/job.js'
import type { Training } from './jobs/training.js'
import type { Journal } from './journal.js'

/** The parts of the engine that skip time. */
interface SkippingWorld {
  readonly clock: Pick<Clock, 'mode' | 'next'>
  readonly training: Pick<Training, 'willMove'>
  readonly journal: Pick<Journal, 'note'>
}

/** A poll of a job. */
interface Poll {
  /** Who polls: an API key, and the operation if it has a rhythm of its own. */
  key: string
  /** The number of events that the answer would show, counted from the first event of the job. */
  upTo: number
}

/** A shorter time between two polls is not a sleep of the client, in milliseconds of real time. */
const SHORTEST_SLEEP = 500
/** After this many sleeps in one job, the journal has a hint. */
const SLEEPS_BEFORE_HINT = 3

/**
 * Remembers how many events of a job each API key has seen. Under the `auto` clock, a poll that would show no
 * new event skips time, so that clients never wait for the emulator.
 */
export class AutoSkip {
  readonly #world: SkippingWorld
  readonly #realNow: () => number
  readonly #seen = new Map<string, number>()
  readonly #sleeps = new Map<string, { lastPoll: number; count: number; total: number }>()
  #hinted = false

  /** @param realNow Returns the real time in milliseconds. */
  constructor(world: SkippingWorld, realNow: () => number = wallNow) {
    this.#world = world
    this.#realNow = realNow
  }

  /**
   * Call it before the answer to a poll. If the key has seen all events that the answer would show, time skips to
   * the next event of the job.
   */
  skipToNextEvent(job: Job, poll: Poll): void {
    if (this.#showsNothingNew(job, poll)) this.#skip(job, (before) => job.eventCount === before)
  }

  /** Like `skipToNextEvent`, but goes on to the next pause in the timeline of the job, or to its end. */
  skipToNextPause(job: Job, poll: Poll): void {
    if (this.#showsNothingNew(job, poll)) {
      this.#skip(job, (before) => job.eventCount === before || job.goesOnWithoutPause)
    }
  }

  markSeen(job: Job, { key, upTo }: Poll): void {
    if (this.#world.clock.mode !== 'auto') return
    const place = `${key} ${job.id}`
    this.#seen.set(place, Math.max(upTo, this.#seen.get(place) ?? 0))
  }

  #showsNothingNew(job: Job, { key, upTo }: Poll): boolean {
    if (this.#world.clock.mode !== 'auto') return false
    const place = `${key} ${job.id}`
    if (!this.#hinted && !job.over) this.#notice(job, place)
    return upTo <= (this.#seen.get(place) ?? 0)
  }

  #skip(job: Job, goesOn: (before: number) => boolean): void {
    const { clock, training } = this.#world
    const before = job.eventCount
    // The next event may wait for other jobs of the model, so all tasks before it run first, in order.
    while (goesOn(before) && training.willMove(job) && clock.next());
  }

  /** Adds a hint to the journal, once, if a client sleeps between polls although time skips for it. */
  #notice(job: Job, place: string): void {
    const now = this.#realNow()
    const sleeps = this.#sleeps.get(place)
    if (sleeps === undefined) {
      this.#sleeps.set(place, { lastPoll: now, count: 0, total: 0 })
      return
    }
    const slept = now - sleeps.lastPoll
    sleeps.lastPoll = now
    if (slept < SHORTEST_SLEEP) return
    sleeps.count++
    sleeps.total += slept
    if (sleeps.count < SLEEPS_BEFORE_HINT) return
    this.#hinted = true
    this.#sleeps.clear()
    const seconds = (sleeps.total / 1000).toFixed(1)
    const polls = counted(sleeps.count + 1, 'poll')
    this.#world.journal.note(
      `hint: the client slept ${seconds} s between ${polls} of job ${job.id.slice(0, 8)}, and the emulator waited for it; the clock instant needs one poll for each job (--clock instant)`,
      job.cause,
    )
  }
}
