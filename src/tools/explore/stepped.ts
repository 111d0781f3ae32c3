import { wallNow } from '../../base/clock/wall.js'
import type { ClockMode } from '../../base/clock/clock.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { ClientChecks } from '../../emulator/testing/client-checks.js'
import { EmulatorError } from '../../base/text/emulator-error.js'
import type { Exploration, ExploreReport, Trial, TrialEnd, TrialResult } from './exploration.js'
import { runExploration } from './explore.js'
import { resultOf } from './observe.js'

/** What comes next in an exploration that another process drives: a trial, or the report at its end. */
export type Step =
  | { readonly trial: SteppedTrial; readonly report?: undefined }
  | { readonly report: ExploreReport; readonly trial?: undefined }

/** A trial without a kill, because nothing here can end code of another process. */
export type SteppedTrial = Omit<Trial, 'kind' | 'kill' | 'compares'> & {
  readonly kind: Exclude<Trial['kind'], 'crashes'>
}

/** How much an exploration in steps tries. */
export interface SteppedOptions extends Pick<Exploration, 'runs' | 'time' | 'seed'> {
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
export function startSteps(world: Emulator, options: SteppedOptions): Promise<Step> {
  const place = placeOf(world)
  place.current?.stop()
  place.current = new SteppedExploration(world, options)
  return place.current.step()
}

/**
 * Ends the current trial, and returns the next step. With the report, the world is back at its start.
 *
 * @throws {NoTrialError} When no trial has begun.
 */
export function nextStep(world: Emulator, end: TrialEnd): Promise<Step> {
  const { current } = placeOf(world)
  if (!current) throw new NoTrialError()
  return current.next(end)
}

interface Place {
  current?: SteppedExploration
}

/** Explorations belong to a world, not to its state. So they are in no snapshot, and survive resets. */
const places = new WeakMap<Emulator, Place>()

function placeOf(world: Emulator): Place {
  const found = places.get(world)
  if (found) return found
  const place: Place = {}
  places.set(world, place)
  world.onClose(async () => place.current?.stop())
  return place
}

/** A trial that runs elsewhere. */
interface OpenTrial {
  readonly begun: number
  readonly end: (result: TrialResult) => void
}

class SteppedExploration {
  readonly #world: Emulator
  readonly #clock: { readonly mode: ClockMode; readonly speed: number }
  readonly #stopping = new AbortController()
  readonly #checks: ClientChecks
  readonly #report: Promise<Step>
  /** Resolves when a trial begins. */
  #begins!: Promise<Step>
  #begin!: (step: Step) => void
  #open: OpenTrial | undefined

  constructor(world: Emulator, { checks, ...options }: SteppedOptions) {
    this.#checks = checks
    this.#world = world
    const { mode, speed } = world.clock
    this.#clock = { mode, speed }
    this.#expectTrial()
    const { signal } = this.#stopping
    this.#report = runExploration({ ...options, signal }, (trial) => this.#try(trial)).then(
      (report) => ({ report }),
    )
    // `step` throws it.
    this.#report.catch(() => {})
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** The trial that has begun, or the report at the end. */
  async step(): Promise<Step> {
    // Both may be there: the time is over while a trial runs.
    const step = await Promise.race([this.#report, this.#begins])
    if (step.report && !this.#stopping.signal.aborted) this.#world.reset()
    return step
  }

  async next(end: TrialEnd): Promise<Step> {
    const open = this.#open
    if (!open) throw new NoTrialError()
    this.#open = undefined
    this.#expectTrial()
    const { observed, ...result } = await resultOf(this.#world, end, { from: open.begun })
    const checks: Readonly<Record<string, unknown>> = { ...this.#checks }
    const findings = observed.findings.filter(({ check }) => checks[check] !== false)
    open.end({ ...result, observed: { ...observed, findings } })
    return this.step()
  }

  #expectTrial(): void {
    this.#begins = new Promise((resolve) => {
      this.#begin = resolve
    })
  }

  async #try(trial: Trial): Promise<TrialResult> {
    const world = this.#world
    world.reset(trial.scenario, { seed: trial.seed })
    const { mode, speed } = this.#clock
    if (world.clock.mode !== mode || world.clock.speed !== speed) world.useClock(mode, { speed })
    world.journal.note(`control: run ${trial.number} of an exploration: ${trial.name}`)
    await world.ready()
    return new Promise((end) => {
      this.#open = { begun: wallNow(), end }
      const { kind, kill: _, compares: __, ...others } = trial
      if (kind !== 'crashes') this.#begin({ trial: { ...others, kind } })
    })
  }
}
