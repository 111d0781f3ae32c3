import * as fc from 'fast-check'
import { Draw } from '../../support/draw.js'

const STEPS = 2 ** 16
const step = (): fc.Arbitrary<number> => fc.noBias(fc.nat(STEPS - 1))

/** Inputs before they are drawn. */
export const undrawn = fc.gen()

/** The draws of one input. When the input fails, fast-check tries it again with smaller draws. */
export class InputDraw extends Draw {
  /** What a finding says about the input. */
  readonly told: unknown[] = []
  readonly #gen: fc.GeneratorValue

  constructor(gen: fc.GeneratorValue) {
    super(0, 'fast-check draws instead')
    this.#gen = gen
  }

  override unit(): number {
    return this.#gen(step) / STEPS
  }

  /** A smaller draw is no hit: a smaller input has less of what is odd. */
  override isHit(rate: number): boolean {
    return this.unit() >= 1 - rate
  }

  /** Draws a value of an arbitrary. For the same function and arguments, the arbitrary is made once. */
  from<T, Args extends unknown[]>(make: (...args: Args) => fc.Arbitrary<T>, ...args: Args): T {
    return this.#gen(make, ...args)
  }

  /** Adds a part of the input to what a finding says. */
  tell<T>(part: T): T {
    this.told.push(part)
    return part
  }
}
