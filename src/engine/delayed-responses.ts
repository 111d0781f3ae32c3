import type { Clock } from '../clock/clock.js'

/**
 * Answers that are held back, on the world's clock: until their time has come, or until the world
 * ends, in which case they break off.
 */
export class Held {
  readonly #clock: Clock
  readonly #letGo = new Set<() => void>()
  #waiting = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** How many wait for a moment of the clock. */
  get size(): number {
    return this.#waiting
  }

  /**
   * Resolves after `ms`: to true, or to false as soon as the world ends. Where time stands still and
   * nobody moves it by hand, it skips ahead.
   */
  async hold(ms: number): Promise<boolean> {
    if (this.#clock.ended) return false
    if (ms <= 0) return true
    const { mode } = this.#clock
    if (mode === 'auto' || mode === 'instant') {
      this.#clock.advance(ms)
      return true
    }
    return new Promise((resolve) => {
      const settle = (inTime: boolean): void => {
        this.#letGo.delete(end)
        this.#waiting--
        resolve(inTime)
      }
      const end = (): void => {
        this.#clock.cancel(scheduled)
        settle(false)
      }
      const scheduled = this.#clock.at(this.#clock.now() + ms, () => settle(true))
      this.#letGo.add(end)
      this.#waiting++
    })
  }

  /** `until` resolves when the world ends, or once it is told to `leave`. */
  hang(): { until: Promise<void>; leave: () => void } {
    let leave = (): void => {}
    const until = new Promise<void>((resolve) => {
      leave = () => {
        this.#letGo.delete(leave)
        resolve()
      }
    })
    if (this.#clock.ended) leave()
    else this.#letGo.add(leave)
    return { until, leave }
  }

  /** Lets go of everything. */
  release(): void {
    for (const end of this.#letGo) end()
  }
}
