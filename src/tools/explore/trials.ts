import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import type { Allowance } from './allowance.js'
import { withChats, type Chats } from './chats.js'
import type { RunTrial, Trial, TrialResult } from './exploration.js'
import type { PlannedTrial } from './part.js'

/** A trial that ended by itself, or at the limit of its own time. */
export interface EndedTrial {
  readonly planned: PlannedTrial
  readonly trial: Trial
  readonly result: TrialResult
}

interface TrialOptions {
  readonly run: RunTrial
  /** What is said about answers holds in each trial. */
  readonly chats: Chats
  readonly seed: number
  readonly allowance: Allowance
}

/** Runs the trials of an exploration, until its time is over or the user stops it. */
export class Trials {
  readonly #options: TrialOptions
  readonly #stopping = new AbortController()
  #count = 0

  constructor(options: TrialOptions) {
    this.#options = options
  }

  /** Whether no trial can run any more. */
  isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Stops what runs, and lets nothing run after it. */
  readonly stop = (): void => this.#stopping.abort()

  /** Does the work of the exploration. Nothing runs after it, or after its time. */
  async during<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.addEventListener('abort', this.stop)
    if (signal?.aborted === true) this.stop()
    const timer = startTimer(this.#options.allowance.time, this.stop)
    try {
      return await work()
    } finally {
      cancelTimer(timer)
      signal?.removeEventListener('abort', this.stop)
      this.stop()
    }
  }

  /** Whether a run can end in time. */
  canStart(run: { readonly isKilled: boolean }): boolean {
    return !this.isStopped() && this.#options.allowance.hasTimeFor(run)
  }

  /** Runs one trial. Undefined if it was stopped before it ended. */
  async try(planned: PlannedTrial): Promise<EndedTrial | undefined> {
    if (this.isStopped()) return undefined
    const { run, chats, seed, allowance } = this.#options
    const { part: _, ...plan } = planned
    const trial: Trial = { ...plan, number: ++this.#count, seed }
    // A signal of its own, so that the listeners of a trial end with it.
    const stopping = new AbortController()
    let stop = (): void => {}
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => {
        stopping.abort()
        resolve(undefined)
      }
    })
    this.#stopping.signal.addEventListener('abort', stop)
    const begun = allowance.elapsed
    try {
      const scenario = withChats(trial.scenario, chats)
      const result = await Promise.race([run({ ...trial, scenario }, stopping.signal), stopped])
      if (!result || this.isStopped()) return undefined
      allowance.ended(trial, result, allowance.elapsed - begun)
      return { planned, trial, result }
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop)
    }
  }
}
