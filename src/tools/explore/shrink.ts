import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { candidatesFor, guessesFor } from './candidates.js'
import { isSmaller, sizeOf } from './scenario-size.js'

/** What the shrinker asks about scenarios. */
export interface Shrinking {
  /**
   * A text that is the same for scenarios with the same effect. Undefined for a scenario that cannot be used, or
   * that asks more of a client.
   */
  readonly keyOf: (candidate: ScenarioInput) => string | undefined
  /** Whether the code under test still fails in the same way. */
  readonly fails: (candidate: ScenarioInput) => Promise<boolean>
  /** How many candidates to try at once. The result is the same for each number. */
  readonly parallel: number
  /** Whether to stop with the smallest scenario so far. */
  readonly isOver: () => boolean
  /** Called with each smaller scenario that fails. */
  readonly onSmaller?: (smaller: ScenarioInput) => void
}

/** The smallest scenario that was found. */
export interface Shrunk {
  readonly scenario: ScenarioInput
  /** Whether no simpler scenario fails, as far as the shrinker can see. */
  readonly finished: boolean
}

/** Finds a smaller scenario with which the code under test still fails in the same way. */
export async function shrink(start: ScenarioInput, shrinking: Shrinking): Promise<Shrunk> {
  const search = new Search(shrinking, start)
  let smallest = start
  const take = (smaller: ScenarioInput): void => {
    smallest = smaller
    shrinking.onSmaller?.(smaller)
  }
  const startSize = sizeOf(start)
  const guesses = guessesFor(start).filter((guess) => isSmaller(sizeOf(guess), startSize))
  const guess = await search.firstFailing(guesses)
  if (guess !== undefined) take(guesses[guess]!)
  // Simplifications after the last accepted one come first: those before it were tried already.
  let place = 0
  for (;;) {
    const candidates = candidatesFor(smallest)
    const order = [...candidates.slice(place), ...candidates.slice(0, place)]
    const found = await search.firstFailing(order)
    if (found === undefined) return { scenario: smallest, finished: !shrinking.isOver() }
    take(order[found]!)
    place = (place + found) % candidates.length
  }
}

class Search {
  readonly #shrinking: Shrinking
  /** Whether the scenario with that key fails. */
  readonly #known = new Map<string, boolean>()

  constructor(shrinking: Shrinking, start: ScenarioInput) {
    this.#shrinking = shrinking
    const key = shrinking.keyOf(start)
    if (key !== undefined) this.#known.set(key, true)
  }

  /** Finds the place of the first candidate that fails. */
  async firstFailing(candidates: readonly ScenarioInput[]): Promise<number | undefined> {
    const { keyOf, parallel, isOver } = this.#shrinking
    let batch: { index: number; key: string }[] = []
    for (const [index, candidate] of candidates.entries()) {
      if (isOver()) return undefined
      const key = keyOf(candidate)
      if (key === undefined || this.#known.get(key) === false) continue
      if (batch.some((each) => each.key === key)) continue
      batch.push({ index, key })
      const isKnown = this.#known.get(key) === true
      if (!isKnown && batch.filter((each) => !this.#known.has(each.key)).length < parallel) continue
      const found = await this.#firstOf(batch, candidates)
      if (found !== undefined) return found
      batch = []
    }
    return this.#firstOf(batch, candidates)
  }

  async #firstOf(
    batch: readonly { index: number; key: string }[],
    candidates: readonly ScenarioInput[],
  ): Promise<number | undefined> {
    const results = batch.map(async ({ index, key }) => {
      const known = this.#known.get(key)
      if (known !== undefined) return known
      const fails = await this.#shrinking.fails(candidates[index]!)
      // What was cut off tells nothing.
      if (!this.#shrinking.isOver() || fails) this.#known.set(key, fails)
      return fails
    })
    const place = (await Promise.all(results)).indexOf(true)
    return place === -1 ? undefined : batch[place]!.index
  }
}
