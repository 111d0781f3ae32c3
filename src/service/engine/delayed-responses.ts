import type { Clock } from '../../base/clock/clock.js'

/** Responses that wait on the clock of the world. If the world ends first, they are cut off. */
export class DelayedResponses {
  readonly #clock: Clock
  readonly #releases = new Set<() => void>()
  #waiting = 0
  #hanging = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The number of responses that wait for a moment of the clock. */
  get size(): number {
    return this.#waiting
  }

  /** The number of responses that never come, and whose clients are still there. */
  get hanging(): number {
    return this.#hanging
  }

  /**
   * Waits on the clock of the world. Under the `auto` and `instant` clocks, time skips ahead instead.
   *
   * @param ms - Milliseconds.
   *
   * @returns True after `ms`, or false as soon as the world ends.
   */
  async wait(ms: number): Promise<boolean> {
    if (this.#clock.ended) return false
    if (ms <= 0) return true
    const { mode } = this.#clock
    if (mode === 'auto' || mode === 'instant') {
      this.#clock.skipTo(this.#clock.now() + ms)
      return true
    }
    return new Promise((resolve) => {
      const settle = (inTime: boolean): void => {
        this.#releases.delete(end)
        this.#waiting--
        resolve(inTime)
      }
      const end = (): void => {
        this.#clock.cancel(scheduled)
        settle(false)
      }
      const scheduled = this.#clock.at(this.#clock.now() + ms, () => settle(true), DELAYED)
      this.#releases.add(end)
      this.#waiting++
    })
  }

  /**
   * Starts a response that never comes, or whose rest never comes. `until` resolves to true when `leave` is called, and
   * to false when the world ends first.
   */
  hang(): { until: Promise<boolean>; leave: () => void } {
    if (this.#clock.ended) return { until: Promise.resolve(false), leave: () => {} }
    let leave = (): void => {}
    const until = new Promise<boolean>((resolve) => {
      const end = (isLeft: boolean): void => {
        if (this.#releases.delete(release)) this.#hanging--
        resolve(isLeft)
      }
      const release = (): void => end(false)
      leave = () => end(true)
      this.#releases.add(release)
    })
    this.#hanging++
    return { until, leave }
  }

  /** Cuts off all waiting responses. */
  releaseAll(): void {
    for (const end of this.#releases) end()
  }
}

const DELAYED = { kind: 'response', describe: () => 'a delayed response continues' } as const
