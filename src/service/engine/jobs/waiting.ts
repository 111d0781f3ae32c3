import type { Clock } from '../../../base/clock/clock.js'
import type { ScheduledTask, TaskFacts } from '../../../base/clock/timer-queue.js'
import type { JobProgress, Stall } from './job-state.js'
import type { Move, Script } from './script.js'

/** What waiting needs of a job. */
interface WaitingJob {
  readonly script: Script
  readonly events: { readonly count: number }
  readonly progress: JobProgress
}

/** What waiting needs of the world of its job. */
export interface WaitingWorld<Job> {
  readonly clock: Clock
  /** Has the job saved. */
  readonly changed: (job: Job) => void
  /** Returns what a move will do, for people. */
  readonly factsOf: (job: Job, move: Move) => TaskFacts
}

/** Performs a move of a job at a moment, in milliseconds since the epoch. */
export type PerformMove = (move: Move, at: number) => void

/**
 * What a job waits for: a moment on the clock, or its resumption if it is stalled. Nothing else changes that, or the
 * `stalled` of its progress.
 */
export class Waiting<Job extends WaitingJob> {
  readonly #job: Job
  readonly #world: WaitingWorld<Job>
  #move: Move | undefined
  /** The task on the clock that performs the move. */
  #task: ScheduledTask | undefined

  constructor(job: Job, world: WaitingWorld<Job>) {
    this.#job = job
    this.#world = world
  }

  /** The next move. A stalled job keeps it until it is resumed. */
  get move(): Move | undefined {
    return this.#move
  }

  /** When the next move happens, in milliseconds since the epoch. Undefined if it is not planned. */
  get due(): number | undefined {
    return this.#task?.at
  }

  /** Restores the next move of a saved job. `plan` plans it. */
  restore(move: Move | undefined): void {
    this.#move = move
  }

  /** Takes the next move from the script, and plans it if the job is not stalled. `from` is when the last one happened. */
  planNext(from: number, perform: PerformMove): void {
    // A listener that resumed the job while its last move was performed has planned it already.
    if (this.#move) return
    const { script, events, progress } = this.#job
    this.#move = script.next()
    this.#changed()
    if (this.#move === undefined) return
    // Even an event that is due at once comes after the response to the creation of the job.
    const soonest = events.count === 0 ? 1 : 0
    const remaining = Math.max(soonest, this.#move.after)
    if (progress.stalled) progress.stalled.remaining = remaining
    else this.plan(from + remaining, perform)
  }

  /** Plans the next move, if there is one. */
  plan(at: number, perform: PerformMove): void {
    const move = this.#move
    if (!move) return
    const { clock, factsOf } = this.#world
    this.#task = clock.at(at, () => perform(move, at), factsOf(this.#job, move))
  }

  /** Stalls the job until `release`. */
  hold(why: Pick<Stall, 'until'> = {}): void {
    const now = this.#world.clock.now()
    const remaining = Math.max(0, (this.due ?? now) - now)
    this.#cancel()
    this.#job.progress.stalled = { remaining, ...why }
    this.#changed()
  }

  /** Ends a stall, and plans nothing. */
  release(): void {
    this.#job.progress.stalled = undefined
    this.#changed()
  }

  /** Ends all waiting. Returns the next move, which is no longer planned. */
  withdraw(): Move | undefined {
    const move = this.#move
    this.#cancel()
    this.#move = undefined
    this.release()
    return move
  }

  #cancel(): void {
    this.#world.clock.cancel(this.#task)
    this.#task = undefined
  }

  #changed(): void {
    this.#world.changed(this.#job)
  }
}
