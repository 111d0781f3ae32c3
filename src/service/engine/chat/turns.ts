import type { ChatRule } from '../../scenario/scenario.js'
import type { Changes } from '../saved/unsaved-changes.js'
import { savedTurns } from './saved-chat.js'

type RuleAnswer = NonNullable<ChatRule['answers']>[number]

/** How many of its `answers` each rule of a scenario has used. */
export class Turns {
  readonly #used = new WeakMap<ChatRule, number>()
  readonly #changes: Changes

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** Returns how many each rule has used. */
  of(rules: readonly ChatRule[]): number[] {
    return rules.map((rule) => this.#used.get(rule) ?? 0)
  }

  /** Restores what `of` returned. */
  restore(rules: readonly ChatRule[], turns: readonly number[]): void {
    for (const [index, rule] of rules.entries()) this.#used.set(rule, turns[index] ?? 0)
  }

  /** Returns the answer of a rule whose turn it is. Undefined if the rule has no list of them. */
  next(rule: ChatRule): RuleAnswer | undefined {
    const { answers = [], repeat } = rule
    const used = this.#used.get(rule) ?? 0
    return answers[repeat ? used % answers.length : Math.min(used, answers.length - 1)]
  }

  /**
   * Takes the answer whose turn it is.
   *
   * @param uncount - Gets what gives it back, for a request that is refused.
   */
  take(rule: ChatRule, uncount: (() => void)[]): RuleAnswer | undefined {
    const answer = this.next(rule)
    const add = (by: 1 | -1): void => {
      this.#used.set(rule, (this.#used.get(rule) ?? 0) + by)
      this.#changes.changed(savedTurns)
    }
    add(1)
    uncount.push(() => add(-1))
    return answer
  }
}
