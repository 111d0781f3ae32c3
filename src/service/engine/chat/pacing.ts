import { milliseconds } from '../../../base/text/duration.js'
import type { ChatPace } from '../../scenario/scenario.js'
import type { Draws } from './draws.js'

/** The times at which the tokens of an answer arrive. */
export class Pacing {
  readonly #pace: ChatPace
  readonly #draws: Draws

  constructor(pace: ChatPace, draws: Draws) {
    this.#pace = pace
    this.#draws = draws
  }

  /** Returns the milliseconds between the token at `index` (from 0) and the one before. */
  before(index: number): number {
    const { first_token, tokens_per_second: rate, jitter } = this.#pace
    const usual = index === 0 ? milliseconds(first_token) : 1000 / (rate ?? Infinity)
    return usual * (1 + jitter * (2 * this.#draws.unit('pace', index) - 1))
  }

  /** Returns the milliseconds that this number of tokens takes. */
  total(tokens: number): number {
    let sum = 0
    for (let index = 0; index < Math.max(1, tokens); index++) sum += this.before(index)
    return sum
  }
}
