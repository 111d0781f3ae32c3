import type { TakenToken } from '../../scenario/faults/definition.js'

export interface BucketLevel {
  tokens: number
  /** Milliseconds since the epoch. */
  at: number
}

/** A token bucket. It allows a number of requests within a time, and refills as time passes. */
export class TokenBucket {
  readonly #capacity: number
  readonly #perMillisecond: number
  #tokens: number
  #at: number

  constructor(limit: { requests: number; within: number; burst: number }, at: number) {
    this.#capacity = limit.burst
    this.#perMillisecond = limit.requests / Math.max(1, limit.within)
    this.#tokens = limit.burst
    this.#at = at
  }

  /** How many tokens it had, and when. */
  get level(): BucketLevel {
    return { tokens: this.#tokens, at: this.#at }
  }

  setLevel({ tokens, at }: BucketLevel): void {
    this.#tokens = tokens
    this.#at = at
  }

  /** Takes a token. Without a token, returns the milliseconds until the next one. */
  take(at: number): TakenToken {
    const gained = Math.max(0, at - this.#at) * this.#perMillisecond
    this.#tokens = Math.min(this.#capacity, this.#tokens + gained)
    this.#at = at
    // Rounding: three thirds of a token are slightly less than one.
    if (this.#tokens > 1 - 1e-9) {
      this.#tokens = Math.max(0, this.#tokens - 1)
      const missing = this.#capacity - this.#tokens
      return { taken: true, left: Math.floor(this.#tokens), full: missing / this.#perMillisecond }
    }
    return { taken: false, wait: Math.ceil((1 - this.#tokens) / this.#perMillisecond) }
  }
}
