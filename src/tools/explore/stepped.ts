import { wallNow } from '../../base/clock/wall.js'
import type { ClockMode } from '../../base/clock/clock.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { ClientChecks } from '../../emulator/testing/client-checks.js'
import { milliseconds } from '../../base/text/duration.js'
import { EmulatorError } from '../../base/text/emulator-error.js'
import type { Exploration, ExploreReport, Trial, TrialEnd, TrialResult } from './exploration.js'
import { DEFAULT_TIME } from './limits.js'
import { armKill, endJobs, isAnswered, passKill, type ArmedKill } from './crash/armed-kill.js'
import { runExploration } from './explore.js'
import { resultOf } from './observe.js'

/** What comes next in an exploration that another process drives: a trial, or the report at its end. */
export type Step =
  | { readonly trial: SteppedTrial; readonly report?: undefined }
  | { readonly report: ExploreReport; readonly trial?: undefined }

/** A trial that runs elsewhere. Nothing here can end its code, so a kill is a connection that is lost. */
export interface SteppedTrial extends Trial {
  /** How often the code starts in this trial, from 1. At 2 it was killed, and the world is as it was then. */
  readonly start: number
  /** Milliseconds of real time until the exploration ends. Only the other process can stop its code then. */
  readonly timeLeft: number
}

/** How much an exploration in steps tries. */
export interface SteppedOptions extends Pick<
  Exploration,
  'runs' | 'time' | 'seed' | 'only' | 'kills'
> {
  /** Turns client checks off. */
  readonly checks: ClientChecks
}

/** Thrown when a trial ends that did not begin. Code `SVTRAIN_NO_TRIAL`. */
export class NoTrialError extends EmulatorError {
  override readonly name = 'NoTrialError'
  readonly code = 'SVTRAIN_NO_TRIAL'
  constructor() {
    super(
      'No trial of an exploration has begun. Start one with POST /_emulator/explore. It ends with its report.',
    )
  }
}

/**
 * Starts an exploration whose trials run elsewhere, one after the other, in this world. It replaces one that has
 * not ended.
 *
 * @returns The first step. The world is ready for its trial.
 */
export async function startSteps(world: Emulator, options: SteppedOptions): Promise<Step> {
  const place = explorationPlace(world)
  // Who asks twice at once may have replaced it meanwhile.
  for (let before: SteppedExploration | undefined; before !== place.current;) {
    before = place.current
    await before?.giveBack()
  }
  place.current = new SteppedExploration(world, options)
  return place.current.step()
}

/**
 * Ends the current trial, and returns the next step. With the report, the world is back at its start.
 *
 * @throws {NoTrialError} When no trial has begun.
 */
export function nextStep(world: Emulator, end: TrialEnd): Promise<Step> {
  const { current } = explorationPlace(world)
  if (!current) throw new NoTrialError()
  return current.next(end)
}

interface Place {
  current?: SteppedExploration
}

/** Explorations belong to a world, not to its state. So they are in no snapshot, and survive resets. */
const places = new WeakMap<Emulator, Place>()

function explorationPlace(world: Emulator): Place {
  const found = places.get(world)
  if (found) return found
  const place: Place = {}
  places.set(world, place)
  world.onClose(async () => place.current?.stop())
  return place
}

/** A trial that runs elsewhere. */
interface OpenTrial {
  readonly trial: Trial
  readonly begun: number
  readonly end: (result: TrialResult) => void
  /** The kill that waits for its call. Undefined if there is none, or if it was passed. */
  armed?: ArmedKill | undefined
  /** Whether the code was killed. */
  killed: boolean
}

interface ChosenClock {
  readonly mode: ClockMode
  readonly speed: number
}

class SteppedExploration {
  readonly #world: Emulator
  /** The clock of the world before, and that of the trials. */
  readonly #clocks: Readonly<Record<'before' | 'trials', ChosenClock>>
  readonly #stopping = new AbortController()
  readonly #checks: ClientChecks
  readonly #end: number
  readonly #report: Promise<Step>
  /** Resolves when a trial begins. */
  #begins!: Promise<Step>
  #begin!: (step: Step) => void
  #open: OpenTrial | undefined
  /** Whether the world belongs to others again. */
  #isOver = false
  /** How many calls waited for an answer in vain at the last call. When a trial ends, its code was stopped before. */
  #hanging = 0

  constructor(world: Emulator, { checks, ...options }: SteppedOptions) {
    this.#checks = checks
    this.#world = world
    this.#end = wallNow() + (options.time ?? milliseconds(DEFAULT_TIME))
    world.engine.warnings.isQuiet = true
    const { mode, speed } = world.clock
    // Under `instant`, no job is unfinished after a kill.
    const isKilled = options.only?.includes('crashes') === true
    const ofTrials = isKilled && mode === 'instant' ? 'auto' : mode
    this.#clocks = { before: { mode, speed }, trials: { mode: ofTrials, speed } }
    this.#expectTrial()
    const { signal } = this.#stopping
    this.#report = runExploration({ ...options, chats: world.scenario, signal }, (trial) =>
      this.#try(trial),
    ).then((report) => ({ report }))
    const unsubscribe = world.journal.subscribe((entry) => {
      if (isAnswered(entry)) this.#hanging = world.engine.delayed.hanging
    })
    const end = (): void => {
      unsubscribe()
      world.engine.warnings.isQuiet = false
    }
    // `step` throws its error.
    this.#report.then(end, end)
  }

  /** Ends it at once. What it set up in the world stays. */
  stop(): void {
    this.#stopping.abort()
  }

  /** Ends it before its time, and leaves the world as it was found: with its warnings, and with its clock. */
  async giveBack(): Promise<void> {
    if (this.#isOver) return
    this.stop()
    // Who waits for its next step gets the error.
    await this.#report.catch(() => {})
    this.#isOver = true
    this.#useClock('before')
  }

  /** The trial that has begun, or the report at the end. */
  async step(): Promise<Step> {
    // Both may be there: the time is over while a trial runs.
    const step = await Promise.race([this.#report, this.#begins])
    if (step.report && !this.#stopping.signal.aborted) {
      // Whoever comes after the report has no trial, and the world for themselves.
      this.#open = undefined
      this.#isOver = true
      this.#world.reset()
    }
    return step
  }

  async next(end: TrialEnd): Promise<Step> {
    const open = this.#open
    if (!open) throw new NoTrialError()
    if (end.ended === 'timeout' && wallNow() >= this.#end) {
      // The exploration ends this trial, and says so in its report. It may take a moment to notice.
      this.#expectTrial()
      return this.step()
    }
    const again = this.#restart(open)
    if (again) return again
    this.#open = undefined
    this.#expectTrial()
    const { begun: from, killed, trial } = open
    const { compares, kill } = trial
    if (compares && end.ended !== 'timeout') endJobs(this.#world.engine)
    const options = { from, compares, hanging: this.#hanging }
    const { observed, ...result } = await resultOf(this.#world, end, options)
    const checks: Readonly<Record<string, unknown>> = { ...this.#checks }
    const findings = observed.findings.filter(({ check }) => checks[check] !== false)
    open.end({ ...result, ...(kill && { killed }), observed: { ...observed, findings } })
    return this.step()
  }

  /** Lets code that was killed start again, in the same world. Undefined if it was not killed, or has started again. */
  #restart(open: OpenTrial): Step | undefined {
    const { armed, trial } = open
    const { kill } = trial
    open.armed = undefined
    armed?.disarm()
    if (!kill || armed?.struck !== true) return undefined
    open.killed = true
    passKill(this.#world, kill)
    return this.#startOf(trial, 2)
  }

  #expectTrial(): void {
    this.#begins = new Promise((resolve) => {
      this.#begin = resolve
    })
  }

  async #try(trial: Trial): Promise<TrialResult> {
    const world = this.#world
    world.reset(trial.scenario, { seed: trial.seed })
    this.#useClock('trials')
    world.journal.note(`control: run ${trial.number} of an exploration: ${trial.name}`)
    await world.ready()
    // The world may belong to the next exploration by now, and nobody waits for a result.
    if (this.#stopping.signal.aborted) return new Promise(() => {})
    const { kill } = trial
    const armed = kill && (await armKill(world, kill, () => {}, { drops: true }))
    return new Promise((end) => {
      this.#open = { trial, begun: wallNow(), end, armed, killed: false }
      this.#begin(this.#startOf(trial, 1))
    })
  }

  #useClock(which: 'before' | 'trials'): void {
    const { mode, speed } = this.#clocks[which]
    const { clock } = this.#world
    if (clock.mode !== mode || clock.speed !== speed) this.#world.useClock(mode, { speed })
  }

  #startOf(trial: Trial, start: number): Step {
    return { trial: { ...trial, start, timeLeft: timeUntil(this.#end) } }
  }
}

/** In milliseconds, as whole seconds: the exploration ends before its last trial is stopped. */
function timeUntil(end: number): number {
  return Math.max(0, Math.ceil((end - wallNow()) / 1000)) * 1000
}
