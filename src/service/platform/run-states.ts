import { RUN_STATES, type RunState } from '../scenario/run-states.js'
import type { PlatformContext } from './context.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Run } from './run.js'

/** After how many milliseconds without its program a run counts as ended. */
const SILENCE = 300_000

/** What becomes of runs: they end, and run again. */
export class RunStates {
  readonly #context: PlatformContext

  constructor(context: PlatformContext) {
    this.#context = context
  }

  set(run: Run, state: RunState, author: Author): void {
    const before = run.state
    if (before === state) return
    run.state = state
    this.#context.changed('progress', run.id, run)
    this.#context.report({ type: 'run_state_changed', run, before }, author)
  }

  /** Ends a run: `finished` if its program exited with 0, and otherwise `failed`, or `preempted` if it was to be. */
  finish(run: Run, exitCode: number, author: Author): void {
    run.exitCode = exitCode
    this.#context.changed('progress', run.id, run)
    const failed = run.state === 'preempting' ? 'preempted' : 'failed'
    this.set(run, exitCode === 0 ? 'finished' : failed, author)
  }

  /** Asks the program of a run to stop. */
  stop(run: Run): void {
    run.stopping = true
    this.#context.changed('progress', run.id, run)
  }

  /** A run that was to be preempted, and went silent, was. */
  endSilent(run: Run, author: Author): void {
    const isSilent = this.#context.now() - run.heartbeatAt > SILENCE
    if (run.state === 'preempting' && isSilent) this.set(run, 'preempted', author)
  }

  /** Lets a run that was over run again. */
  reopen(run: Run, author: Author): void {
    // A program may still change its config when it knows that it will be preempted.
    if (run.state === 'running' || run.state === 'preempting') return
    run.exitCode = undefined
    run.isReopened = true
    this.set(run, 'running', author)
  }
}

/** @throws {PlatformError} When there is no such state. */
export function runStateOf(state: string): RunState {
  const known = RUN_STATES.find((each) => each === state)
  if (known !== undefined) return known
  throw new PlatformError(
    'invalid',
    `The state of the run is ${quoted(state)}; allowed: ${RUN_STATES.join(', ')}.`,
  )
}
