import { Agenda, type Appointment } from './agenda.js'
import { readDuration } from '../text/duration.js'
import { checkArgument, kindOf, oneOf, Options } from '../text/options.js'
import { cancelTimer, startTimer, wallNow, type WallTimer } from './wall.js'

/**
 * How time passes:
 * - `real`: with the wall clock, `speed` times as fast;
 * - `auto`: stands still, and skips to a job's next event when a client asks for news of it;
 * - `manual`: stands still until `advance`, `advanceTo` or `next`;
 * - `instant`: stands still, and a job has run to its end when its creation answers.
 */
export type ClockMode = (typeof clockModes)[number]
export const clockModes = ['real', 'auto', 'manual', 'instant'] as const

/** The highest speed: beyond it a clock would leave the calendar within a day. */
export const FASTEST = 1_000_000

export const clockMode = oneOf(...clockModes)
export const clockSpeed = kindOf(`a number above 0, at most ${FASTEST}`, (value) => {
  return typeof value === 'number' && value > 0 && value <= FASTEST
})

export interface ClockChange {
  /** Seconds of the scenario per second of real time, in `real` mode. Default: as before. */
  speed?: number | undefined
}

export const clockChange = new Options<ClockChange>('clock.use', { speed: clockSpeed })

export interface ClockOptions {
  mode: ClockMode
  /** Seconds of the scenario per second of the wall clock, in `real` mode. Default 1. */
  speed?: number | undefined
  /**
   * Where a world that was kept goes on, in milliseconds since the epoch; under `real` not before the
   * wall's own time. Default: `VIRTUAL_START`.
   */
  start?: number | undefined
}

/** Where virtual clocks start, so that timestamps are the same from run to run. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1)

/** Where all clocks end: later dates have five digits in their year, which few clients can read. */
export const END_OF_TIME = Date.UTC(9999, 11, 31)

/**
 * The one clock of a world. Everything that happens later is an appointment on it, so one look at
 * it tells what is still to come, and clearing it cancels all of it.
 */
export class Clock {
  readonly #agenda = new Agenda()
  #mode: ClockMode
  #speed: number
  #virtualNow: number
  /** Real time is counted from here: a moment of the wall, and the moment that it was for us. */
  #anchor: { wall: number; here: number }
  #timer: WallTimer | undefined
  #timerAt = Infinity
  #running = false
  #ended = false

  constructor({ mode, speed = 1, start }: ClockOptions) {
    this.#mode = mode
    this.#speed = speed
    const wall = wallNow()
    this.#virtualNow = start ?? VIRTUAL_START
    this.#anchor = { wall, here: Math.max(wall, start ?? wall) }
  }

  get mode(): ClockMode {
    return this.#mode
  }

  /** Seconds of the scenario per second of the wall clock, in `real` mode. */
  get speed(): number {
    return this.#speed
  }

  /**
   * Goes on in another mode, or at another speed, from where time stands: nothing is skipped, and
   * what is to come stays due when it was. Throws `OptionsError`.
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
    this.#virtualNow = here
    this.#anchor = { wall: wallNow(), here }
    this.#arm()
  }

  /** Milliseconds since the epoch. Inside a task of the agenda: the moment at which it was due. */
  now(): number {
    if (this.#mode !== 'real' || this.#running) return this.#virtualNow
    return this.#realNow()
  }

  /**
   * Calls `task` at `at` (milliseconds since the epoch), or as soon as possible if that is past. What
   * would come after the end of time comes then.
   */
  at(at: number, task: () => void): Appointment {
    const appointment = this.#agenda.add(Math.min(at, END_OF_TIME), task)
    if (this.#ended) this.#agenda.cancel(appointment)
    this.#arm()
    return appointment
  }

  /** Whether nothing will happen on it any more. */
  get ended(): boolean {
    return this.#ended
  }

  /** Cancels everything that is to come, and whatever may still be planned. */
  end(): void {
    this.#ended = true
    this.clear()
  }

  cancel(appointment: Appointment | undefined): void {
    if (appointment) this.#agenda.cancel(appointment)
  }

  /** Cancels everything that is to come. */
  clear(): void {
    this.#agenda.clear()
    cancelTimer(this.#timer)
    this.#timerAt = Infinity
  }

  /** When the next thing is due, in milliseconds since the epoch. */
  nextAt(): number | undefined {
    return this.#agenda.nextAt()
  }

  /** How many things are still to come. */
  get pending(): number {
    return this.#agenda.size
  }

  /**
   * Moves virtual time on by a duration (`10m`, or milliseconds), doing everything that falls due on
   * the way, in order. Raises `RealTimeError`, and `RangeError` where it is no duration.
   */
  advance(duration: string | number): void {
    const ms = readDuration(duration)
    if (ms === undefined) {
      throw new UnreadableTimeError(
        `Failed to advance: ${JSON.stringify(duration)} is no duration. Pass one such as "250ms", "2s" or "1h30m", or milliseconds.`,
      )
    }
    this.advanceTo(this.now() + ms)
  }

  /**
   * Moves virtual time to a moment: a date, its text in ISO 8601, or milliseconds since the epoch;
   * never backwards, and not beyond the year 9999. Raises `RealTimeError`, and `RangeError` where it is no moment.
   */
  advanceTo(moment: Date | string | number): void {
    this.#assertVirtual()
    const asked = typeof moment === 'number' ? moment : new Date(moment).getTime()
    if (Number.isNaN(asked)) {
      throw new UnreadableTimeError(
        `Failed to advance: ${JSON.stringify(moment)} is no moment. Pass a Date, "2026-01-01T00:10:00Z", or milliseconds since the epoch.`,
      )
    }
    const target = Math.min(asked, END_OF_TIME)
    this.#runUntil(target)
    this.#virtualNow = Math.max(this.#virtualNow, target)
  }

  /** Moves virtual time to the next thing that is due and does it. False where nothing is. */
  next(): boolean {
    this.#assertVirtual()
    const at = this.#agenda.nextAt()
    if (at === undefined) return false
    const due = this.#agenda.take(at)!
    this.#virtualNow = Math.max(this.#virtualNow, due.at)
    due.task()
    return true
  }

  /**
   * Does now what real time has made due. Each request calls it, so that a client sees an event the
   * moment it is due, and one that polls in process, without a pause, holds nothing up.
   */
  catchUp(): void {
    if (this.#mode !== 'real' || this.#running) return
    const at = this.#agenda.nextAt()
    if (at !== undefined && at <= this.#realNow()) this.#ring()
  }

  #assertVirtual(): void {
    if (this.#mode === 'real') throw new RealTimeError()
  }

  #realNow(): number {
    const passed = (wallNow() - this.#anchor.wall) * this.#speed
    return Math.min(this.#anchor.here + passed, END_OF_TIME)
  }

  #runUntil(moment: number): void {
    for (let due = this.#agenda.take(moment); due; due = this.#agenda.take(moment)) {
      this.#virtualNow = Math.max(this.#virtualNow, due.at)
      due.task()
    }
  }

  /** One timer serves the whole agenda: ten thousand running jobs cost one timer, not as many. */
  #arm(): void {
    if (this.#mode !== 'real' || this.#running) return
    const at = this.#agenda.nextAt()
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
    // Tasks see the moment for which they were planned, so a late timer shifts no timestamp.
    this.#virtualNow = -Infinity
    try {
      this.#runUntil(this.#realNow())
    } finally {
      this.#running = false
      this.#arm()
    }
  }
}

/** Thrown for a duration or a moment that cannot be read. Code `SVTRAIN_OPTIONS`. */
class UnreadableTimeError extends RangeError {
  override readonly name = 'RangeError'
  readonly code = 'SVTRAIN_OPTIONS'
}

/** Raised by `advance`, `advanceTo` and `next` where time is real. Code `SVTRAIN_REAL_TIME`. */
export class RealTimeError extends Error {
  override readonly name = 'RealTimeError'
  readonly code = 'SVTRAIN_REAL_TIME'
  constructor() {
    super(
      'Failed to move time: this clock is "real", which moves by itself. Create the emulator with clock "manual", "auto" or "instant", or call clock.use("manual"), to move it by hand.',
    )
  }
}
