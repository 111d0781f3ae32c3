import { clearTimeoutIsReal, setTimeoutIsReal, wallNow, wallPause } from './wall.js'

/** What the fake timers of Vitest, Jest and Sinon say of themselves at each function that they replace. */
interface FakeClock {
  readonly now: number
  /** By id: an object or a `Map`. */
  readonly timers?: Readonly<Record<string, FakeTimer>> | ReadonlyMap<unknown, FakeTimer>
}

interface FakeTimer {
  readonly callAt: number
}

/** Returns what is wrong if `setTimeout` is faked and `clearTimeout` is not. */
export function problemOfFakeTimers(): string | undefined {
  return !setTimeoutIsReal() && clearTimeoutIsReal() ? FAKED_BY_HALF : undefined
}

const FAKED_BY_HALF = `the timers are faked by half: setTimeout is faked and clearTimeout is not, so a timeout that was cleared still fires. Fake both: vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }).`

/**
 * Returns the milliseconds until the next timer of fake timers; `Infinity` if there is none. Undefined: these fake
 * timers don't say it, or there are none.
 */
function untilNextTimer(): number | undefined {
  const { clock } = globalThis.setTimeout as { clock?: FakeClock }
  if (typeof clock?.now !== 'number') return undefined
  const { timers = {} } = clock
  const all = typeof timers.values === 'function' ? timers.values() : Object.values(timers)
  let next = Infinity
  for (const { callAt } of all as Iterable<FakeTimer>) next = Math.min(next, callAt)
  return Math.max(0, next - clock.now)
}

/** In milliseconds. Each step takes some real time, in which a request can be answered. */
const SMALLEST_STEP = 100
/** The longest step if the next timer is unknown. */
const LONGEST_BLIND_STEP = 2000
/** How far time may move at once, and then for each millisecond of real time. A client may read a file meanwhile. */
const AT_ONCE = 2000
const PER_REAL_MILLISECOND = 4000

/**
 * Advances the fake timers of a client. It never passes a timer that it knows of, so what the client does when that
 * timer fires happens at that time. Its steps grow while nothing happens.
 */
export class FakeTimers {
  readonly #advance: (ms: number) => unknown
  /** How far they were advanced, in milliseconds. */
  advanced = 0
  /** When something happened, in real time, and how far they were advanced since then. */
  #eventAt = wallNow()
  #uneventful = 0
  /** How far they are behind the clock of the emulator. */
  #behind = 0

  constructor(advance: (ms: number) => unknown) {
    this.#advance = advance
  }

  get areBehind(): boolean {
    return this.#behind > 0
  }

  /** Notes that the clock of the emulator moved. The next steps follow it. */
  follow(ms: number): void {
    this.#behind += ms
  }

  /** Whether one of them is known to fire within that time, in milliseconds. */
  fireWithin(ms: number): boolean {
    return (untilNextTimer() ?? Infinity) < ms
  }

  /** Notes that something happened, so that the next step is small. */
  happened(): void {
    this.#eventAt = wallNow()
    this.#uneventful = 0
  }

  /**
   * Advances to the next timer or by one step, or pauses if that is too early.
   *
   * @param lead Moves the clock of the emulator by so many milliseconds first, unless the timers are behind it.
   */
  async step(lead: (ms: number) => void = () => {}): Promise<void> {
    const next = untilNextTimer()
    const longest = this.areBehind ? this.#behind : this.#longestStep(next !== undefined)
    if (longest < SMALLEST_STEP && !this.areBehind) return wallPause(1)
    const ms = Math.min(longest, Math.max(1, next ?? longest))
    if (!this.areBehind) lead(ms)
    await this.#advance(ms)
    this.advanced += ms
    this.#behind = Math.max(0, this.#behind - ms)
    if (next !== undefined && ms >= next) this.happened()
    else this.#uneventful += ms
  }

  #longestStep(knowsTimers: boolean): number {
    // A step passes an unknown timer by a quarter of the wait, at most.
    const grown = knowsTimers
      ? this.#uneventful * 3
      : Math.min(this.#uneventful / 4, LONGEST_BLIND_STEP)
    const wanted = Math.max(SMALLEST_STEP, grown)
    const passed = wallNow() - this.#eventAt
    const allowed = AT_ONCE + passed * PER_REAL_MILLISECOND - this.#uneventful
    // A fast machine would cut a blind step into many.
    return knowsTimers || allowed >= wanted ? Math.min(wanted, allowed) : 0
  }
}
