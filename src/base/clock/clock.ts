import { TimerQueue, type ScheduledTask, type TaskFacts } from './timer-queue.js'
import { milliseconds } from '../text/duration.js'
import { aDuration, checkArgument, isDate, valueKind, oneOf, Options } from '../text/options.js'
import { cancelTimer, startTimer, wallNow, type WallTimer } from './wall.js'
import { EmulatorError } from '../text/emulator-error.js'
import { toIso } from '../text/iso.js'
import { showAs } from '../text/show-as.js'

/**
 * How time passes:
 * - `real`: like real time, but `speed` times as fast.
 * - `auto`: time stands still until a client polls a job. Then it skips to the next pause of the job.
 * - `manual`: time stands still until you call `advance`, `advanceTo` or `next`.
 * - `instant`: time stands still. A job runs to its end before the response to its creation is sent.
 */
export type ClockMode = (typeof clockModes)[number]
export const clockModes = ['real', 'auto', 'manual', 'instant'] as const

/** The highest speed. A faster clock would reach the end of the calendar within days. */
export const FASTEST = 1_000_000

export const clockMode = oneOf(...clockModes)
export const clockSpeed = valueKind(`a number above 0, at most ${FASTEST}`, (value) => {
  return typeof value === 'number' && value > 0 && value <= FASTEST
})

const aMoment = valueKind(
  'a Date, a text such as "2026-01-01T00:10:00Z", or milliseconds since the epoch',
  (value) => isMoment(value) && !Number.isNaN(timeOf(value)),
)

/** A clock that stands at `NaN` never moves again. */
const aTime = valueKind('milliseconds since the epoch', (value) => {
  return typeof value === 'number' && !Number.isNaN(value)
})

/** `new Date` also reads other values, or throws an error for them. */
function isMoment(value: unknown): value is Date | string | number {
  return typeof value === 'string' || typeof value === 'number' || isDate(value)
}

function timeOf(moment: Date | string | number): number {
  return typeof moment === 'number' ? moment : new Date(moment).getTime()
}

/** The options of `clock.use` and `emulator.useClock`. */
export interface ClockChange {
  /** Seconds of the scenario per second of real time, in `real` mode. Default: the current speed. */
  speed?: number | undefined
}

export const clockChange = new Options<ClockChange>('clock.use', { speed: clockSpeed })

export interface ClockOptions {
  mode: ClockMode
  /** Seconds of the scenario per second of real time, in `real` mode. Default: 1. */
  speed?: number | undefined
  /**
   * The time at which a saved world resumes, in milliseconds since the epoch. In `real` mode, real time if
   * that is later. Default: `VIRTUAL_START`.
   */
  start?: number | undefined
  /** Takes the error of each scheduled task. Default: nobody, so a timer throws the error. */
  failed?: ((task: ScheduledTask, error: unknown) => void) | undefined
}

/** The time at which virtual clocks start. It is fixed, so that each run has the same timestamps. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1)

/** The time at which all clocks end. Later years have five digits, which few clients can parse. */
export const END_OF_TIME = Date.UTC(9999, 11, 31)

/**
 * The clock of a world. Everything that happens later is a scheduled task of the clock, so the clock knows
 * everything that is still to come.
 *
 * @example
 * const emulator = createEmulator({ clock: 'manual' })
 * emulator.clock.advance('10m')
 */
export class Clock {
  readonly #queue = new TimerQueue()
  #mode: ClockMode
  #speed: number
  /** The latest time that anybody saw. A virtual clock stands there. */
  #latest: number
  /** A moment of real time, and the time of this clock at that moment. */
  #anchor: { wall: number; here: number }
  #timer: WallTimer | undefined
  #timerAt = Infinity
  #running = false
  #ended = false
  #advanced = 0
  #ran = 0
  readonly #failed: ClockOptions['failed']

  constructor({ mode, speed = 1, start, failed }: ClockOptions) {
    this.#failed = failed
    this.#mode = mode
    this.#speed = speed
    const wall = wallNow()
    this.#anchor = { wall, here: Math.max(wall, start ?? wall) }
    this.#latest = mode === 'real' ? this.#anchor.here : (start ?? VIRTUAL_START)
    showAs(this, 'Clock', () => ({ mode: this.mode, speed: this.speed, now: toIso(this.now()) }))
  }

  /** The current mode. */
  get mode(): ClockMode {
    return this.#mode
  }

  /** Seconds of the scenario per second of real time, in `real` mode. */
  get speed(): number {
    return this.#speed
  }

  /**
   * Switches to another mode or speed. The current time and the times of scheduled tasks do not change.
   *
   * @param mode - `real`, `auto`, `manual` or `instant`.
   * @throws {OptionsError} When the mode or the speed is not valid.
   * @example
   * emulator.clock.use('real', { speed: 10 })
   */
  use(mode: ClockMode, options: ClockChange = {}): void {
    checkArgument('clock.use', { name: 'mode', value: mode, kind: clockMode })
    clockChange.check(options)
    const { speed = this.#speed } = options
    this.catchUp()
    const here = this.now()
    cancelTimer(this.#timer)
    this.#timerAt = Infinity
    this.#mode = mode
    this.#speed = speed
    this.#latest = here
    this.#anchor = { wall: wallNow(), here }
    this.#arm()
  }

  /**
   * Returns the current time of the clock. Inside a scheduled task, it is the time for which the task was
   * scheduled. Time never moves backwards, and never passes a task that has not run.
   *
   * @returns Milliseconds since the epoch.
   * @example
   * const date = new Date(emulator.clock.now())
   */
  now(): number {
    if (this.#mode !== 'real' || this.#running) return this.#latest
    const due = this.#queue.nextAt() ?? Infinity
    this.#latest = Math.max(this.#latest, Math.min(this.#realNow(), due))
    return this.#latest
  }

  /**
   * Schedules a task. A task in the past runs as soon as possible, and a task after the year 9999 at its end.
   *
   * @param at - Milliseconds since the epoch, on this clock.
   * @param facts - What it will do, for people who look at what comes next.
   * @returns The scheduled task, for `cancel`.
   * @throws {OptionsError} When `at` is no number.
   * @example
   * emulator.clock.at(emulator.clock.now() + 5000, () => console.log('five seconds later'))
   */
  at(at: number, task: () => void, facts?: TaskFacts): ScheduledTask {
    checkArgument('clock.at', { name: 'at', value: at, kind: aTime })
    const scheduled = this.#queue.add(Math.min(at, END_OF_TIME), task, facts)
    if (this.#ended) this.#queue.cancel(scheduled)
    this.#arm()
    return scheduled
  }

  /**
   * Whether the clock has ended. An ended clock runs no more tasks.
   *
   * @internal
   */
  get ended(): boolean {
    return this.#ended
  }

  /**
   * Ends the clock: cancels all tasks, and ignores tasks that are scheduled later.
   *
   * @internal
   */
  end(): void {
    this.#ended = true
    this.clear()
  }

  /**
   * Cancels a scheduled task. Does nothing if the task has run, or was cancelled before.
   *
   * @example
   * const task = emulator.clock.at(emulator.clock.now() + 5000, () => emulator.reset())
   * emulator.clock.cancel(task)
   */
  cancel(scheduled: ScheduledTask | undefined): void {
    if (scheduled) this.#queue.cancel(scheduled)
  }

  /**
   * Cancels all tasks.
   *
   * @internal
   */
  clear(): void {
    this.#queue.clear()
    cancelTimer(this.#timer)
    this.#timerAt = Infinity
  }

  /**
   * Returns the time of the next task.
   *
   * @returns Milliseconds since the epoch; undefined if there is no task.
   * @example
   * const next = emulator.clock.nextAt()
   * if (next !== undefined) emulator.clock.advanceTo(next)
   */
  nextAt(): number | undefined {
    return this.#queue.nextAt()
  }

  /**
   * The scheduled tasks, in the order in which they run.
   *
   * @internal
   */
  get scheduled(): readonly ScheduledTask[] {
    return this.#queue.all
  }

  /** The number of scheduled tasks. */
  get pending(): number {
    return this.#queue.size
  }

  /**
   * The number of tasks that have run.
   *
   * @internal
   */
  get ran(): number {
    return this.#ran
  }

  /**
   * Moves virtual time forward by a duration, and runs every task on the way, in order. If a task throws an
   * error, the others still run, and then `advance` throws it.
   *
   * @param duration - A duration such as `10m` or `250ms`, or milliseconds.
   * @throws {OptionsError} When `duration` is not a duration.
   * @throws {RealTimeError} When the clock is `real`.
   * @example
   * emulator.clock.advance('10m')
   */
  advance(duration: string | number): void {
    checkArgument('clock.advance', { name: 'duration', value: duration, kind: aDuration })
    this.advanceTo(this.now() + milliseconds(duration))
  }

  /**
   * Moves virtual time forward to a moment, and runs every task on the way, in order. Time never moves
   * backwards, or beyond the year 9999.
   *
   * @param moment - A `Date`, a date and time in ISO 8601, or milliseconds since the epoch.
   * @throws {OptionsError} When `moment` is none of these.
   * @throws {RealTimeError} When the clock is `real`.
   * @example
   * emulator.clock.advanceTo('2026-01-01T00:10:00Z')
   */
  advanceTo(moment: Date | string | number): void {
    checkArgument('clock.advanceTo', { name: 'moment', value: moment, kind: aMoment })
    const before = this.now()
    try {
      this.skipTo(timeOf(moment))
    } finally {
      this.#advanced += this.now() - before
    }
  }

  /**
   * How far `advance` and `advanceTo` have moved time, in milliseconds. Only users call them, so it tells of pauses that
   * code makes on this clock.
   *
   * @internal
   */
  get advanced(): number {
    return this.#advanced
  }

  /**
   * Moves virtual time forward to a moment, like `advanceTo`, because the emulator itself waits for it.
   *
   * @internal
   */
  skipTo(moment: number): void {
    this.#assertVirtual()
    const target = Math.min(moment, END_OF_TIME)
    try {
      this.#runUntil(target)
    } finally {
      this.#latest = Math.max(this.#latest, target)
    }
  }

  /**
   * Moves virtual time to the next scheduled task and runs it.
   *
   * @returns False if nothing is scheduled.
   * @throws {RealTimeError} When the clock is `real`.
   * @example
   * while (emulator.clock.next());
   */
  next(): boolean {
    this.#assertVirtual()
    const at = this.#queue.nextAt()
    if (at === undefined) return false
    const due = this.#queue.take(at)!
    this.#latest = Math.max(this.#latest, due.at)
    throwFirst(this.#run(due))
    return true
  }

  /**
   * Runs the tasks that are due in real time. Each request calls it: a client that polls in process without a
   * pause delays timers, and must still see an event as soon as it is due.
   *
   * @internal
   */
  catchUp(): void {
    if (this.#mode !== 'real' || this.#running) return
    const at = this.#queue.nextAt()
    if (at !== undefined && at <= this.#realNow()) this.#ring()
  }

  #assertVirtual(): void {
    if (this.#mode === 'real') throw new RealTimeError()
  }

  #realNow(): number {
    const passed = (wallNow() - this.#anchor.wall) * this.#speed
    return Math.min(this.#anchor.here + passed, END_OF_TIME)
  }

  /** Runs all tasks up to a moment, and then throws the first error of a task. */
  #runUntil(moment: number): void {
    const errors: unknown[] = []
    for (let due = this.#queue.take(moment); due; due = this.#queue.take(moment)) {
      this.#latest = Math.max(this.#latest, due.at)
      errors.push(...this.#run(due))
    }
    throwFirst(errors)
  }

  /** Returns the error of the task, if there is one. */
  #run(due: ScheduledTask): readonly unknown[] {
    this.#ran++
    try {
      due.run()
      return NO_ERRORS
    } catch (error) {
      this.#failed?.(due, error)
      return [error]
    }
  }

  /** Starts one timer, for the next task of the queue. */
  #arm(): void {
    if (this.#mode !== 'real' || this.#running) return
    const at = this.#queue.nextAt()
    if (at === undefined || at >= this.#timerAt) return
    cancelTimer(this.#timer)
    const wait = Math.max(0, Math.ceil((at - this.#realNow()) / this.#speed))
    this.#timerAt = at
    this.#timer = startTimer(wait, () => this.#ring())
  }

  #ring(): void {
    cancelTimer(this.#timer)
    this.#timerAt = Infinity
    this.#running = true
    // Tasks see the time for which they are scheduled, so a late timer changes no timestamp.
    try {
      this.#runUntil(this.#realNow())
    } catch (error) {
      // Nobody called a timer, so nobody could catch it.
      if (!this.#failed) throw error
    } finally {
      this.#running = false
      this.#arm()
    }
  }
}

const NO_ERRORS: readonly unknown[] = []

function throwFirst(errors: readonly unknown[]): void {
  if (errors.length > 0) throw errors[0]
}

/** Thrown when `advance`, `advanceTo` or `next` is called on a `real` clock. Code `SVTRAIN_REAL_TIME`. */
export class RealTimeError extends EmulatorError {
  override readonly name = 'RealTimeError'
  readonly code = 'SVTRAIN_REAL_TIME'
  constructor() {
    super(
      'Failed to move time: this clock is "real", which moves by itself. Create the emulator with clock "manual", "auto" or "instant", or call clock.use("manual"), to move it by hand.',
    )
  }
}
