import { mix32, type Hash128 } from '../../../base/random/random.js'

/** The random draws of one answer. Each purpose has its own bits, so the draws of purposes are independent. */
export class Draws {
  readonly #hash: Hash128
  readonly #step: number

  /** @param step - The step of the checkpoint that answers. */
  constructor(hash: Hash128, step: number) {
    this.#hash = hash
    this.#step = step
  }

  /** Returns a number in [0, 1). It is the same for the same purpose and index. */
  unit(purpose: keyof typeof PURPOSES, index = 0): number {
    return this.word(purpose, index) / 2 ** 32
  }

  /** Returns 32 random bits, as an unsigned number. */
  word(purpose: keyof typeof PURPOSES, index = 0): number {
    const [word, salt] = PURPOSES[purpose]
    // The draws of policies do not depend on the step: a prompt that a policy answers correctly at one step is also
    // answered correctly at a step with a higher chance.
    const step = word === 0 ? 0 : mix32(this.#step)
    return mix32(this.#hash[word] ^ mix32(index + salt) ^ step)
  }

  /** Returns what draws one number in [0, 1) after the other. */
  units(purpose: keyof typeof PURPOSES): () => number {
    let index = 0
    return () => this.unit(purpose, index++)
  }

  /** Picks one of several values. */
  pick<T>(purpose: keyof typeof PURPOSES, from: readonly T[]): T {
    return from[Math.floor(this.unit(purpose) * from.length)]!
  }
}

const PURPOSES = {
  policy: [0, 0x1000_0000],
  variant: [0, 0x2000_0000],
  habit: [0, 0x3000_0000],
  sentences: [1, 0],
  explore: [1, 0x4000_0000],
  structure: [2, 0x1000_0000],
  tool: [2, 0x2000_0000],
  logprobs: [3, 0],
  pace: [3, 0x4000_0000],
  cut: [3, 0x5000_0000],
} as const
