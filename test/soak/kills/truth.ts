import { asFound, gone, is, type Expected } from './expected.js'

/** The expected states after a change, by the key of each thing, such as `fault:added-1`. */
export type Outcome = readonly (readonly [key: string, to: Expected])[]

interface Fact {
  expected: Expected
  /** The only client that changes it. */
  owner: string
}

interface Sent {
  readonly outcome: Outcome
  readonly age: number
}

/** A change of the whole world. */
export interface Replacement {
  /** The name of the scenario afterwards. Undefined if it does not change. */
  readonly scenario?: string
  /** What happens to a fact. `gone` if the thing must not exist afterwards. */
  readonly fate: (key: string) => 'stays' | 'gone' | 'unknown'
  readonly outcome: Outcome
}

export interface Change<T> {
  readonly owner: string
  /** The expected states of existing things. */
  readonly outcome?: Outcome
  /** The expected states that follow from the answer. */
  readonly told?: (answer: T) => Outcome
  /** Resolves to undefined if the emulator refused, and rejects without an answer. */
  readonly send: () => Promise<T | undefined>
}

/**
 * What clients know from the answers. Each thing is changed by one client, one change after the other,
 * so the last acknowledged change counts. A change without an answer may have happened or not.
 */
export class Truth {
  readonly #facts = new Map<string, Fact>()
  readonly #sent = new Set<Sent>()
  /** Increases when a change of the whole world begins and when it ends. It is odd in between. */
  #age = 0
  #replacing: Replacement | undefined

  /** Whether the whole world has been replaced since, or is being replaced. */
  isOtherThan(age: number): boolean {
    return age !== this.#age || age % 2 === 1
  }

  get age(): number {
    return this.#age
  }

  /** The keys with this prefix, for existing things of a client. */
  keys(owner: string, prefix: string, like?: Expected): string[] {
    return [...this.#facts].flatMap(([key, fact]) => {
      const isMeant = like === undefined ? fact.expected !== gone : fact.expected.text === like.text
      return fact.owner === owner && key.startsWith(prefix) && isMeant ? [key] : []
    })
  }

  /** The lowest allowed number of a thing. */
  least(key: string): number {
    return this.#facts.get(key)?.expected.least ?? 0
  }

  /** The only allowed value of a thing. Undefined if there are several, or none. */
  valueOf(key: string): unknown {
    return this.#facts.get(key)?.expected.value
  }

  async change<T>({ owner, outcome = [], told, send }: Change<T>): Promise<T | undefined> {
    const sent = { outcome, age: this.#age }
    this.#sent.add(sent)
    const answer = await send()
    this.#sent.delete(sent)
    const outcomes = answer === undefined ? [] : [...outcome, ...(told?.(answer) ?? [])]
    if (this.isOtherThan(sent.age)) this.#forget([...outcome, ...outcomes])
    else this.#learn(outcomes, owner)
    return answer
  }

  /** Changes the whole world. Concurrent changes can come before or after it. */
  async replace(
    replacement: Replacement,
    send: () => Promise<unknown>,
  ): Promise<'done' | 'refused'> {
    this.#age++
    this.#replacing = replacement
    const answer = await send()
    this.#replacing = undefined
    if (answer !== undefined) this.#apply(replacement)
    this.#age++
    return answer === undefined ? 'refused' : 'done'
  }

  /**
   * Compares the facts with the state of the next process, and continues from that state.
   *
   * @returns The number of compared things, and a message for each difference.
   */
  judge(found: ReadonlyMap<string, unknown>): { checked: number; losses: string[] } {
    this.#settleReplacement(found.get('scenario'))
    const losses = new Map<string, string>()
    for (const [key, { expected }] of this.#facts) {
      const sent = [...this.#sent].flatMap(({ outcome }) => {
        return outcome.flatMap(([of, to]) => (of === key ? [to] : []))
      })
      const value = found.get(key)
      if ([expected, ...sent].some((each) => each.holds(value))) continue
      const perhaps = sent.map(({ text }) => `, or unacknowledged ${text}`).join('')
      losses.set(key, `${key} was ${expected.text}${perhaps}, and is ${is(value).text}`)
    }
    const checked = this.#facts.size
    this.#goOnFrom(found, losses)
    return { checked, losses: [...losses.values()] }
  }

  /** A change in progress when the process was killed has happened or not. */
  #settleReplacement(scenario: unknown): void {
    const replacing = this.#replacing
    for (const sent of this.#sent) if (this.isOtherThan(sent.age)) this.#forget(sent.outcome)
    if (replacing?.scenario === undefined) {
      if (replacing) this.#keepOnly((key) => replacing.fate(key) === 'stays')
    } else if (this.#facts.get('scenario')?.expected.holds(replacing.scenario) !== false) {
      // The name of the scenario does not show which of the two worlds it is.
      this.#facts.clear()
    } else if (scenario === replacing.scenario) this.#apply(replacing)
    if (replacing) this.#age++
    this.#replacing = undefined
  }

  #goOnFrom(found: ReadonlyMap<string, unknown>, lost: ReadonlyMap<string, string>): void {
    const unsure = new Map([...this.#sent].flatMap(({ outcome }) => outcome))
    this.#sent.clear()
    for (const [key, fact] of this.#facts) {
      const isOpen = unsure.has(key) || lost.has(key) || fact.expected.least !== undefined
      if (isOpen) fact.expected = asFound(unsure.get(key) ?? fact.expected, found.get(key))
    }
    // The next process may give the id of a fault that was removed to another one.
    this.#keepOnly((key) => !(key.startsWith('fault:') && found.get(key) === undefined))
    this.#learn([['scenario', is(found.get('scenario'))]], 'nobody')
  }

  #learn(outcomes: Outcome, owner: string): void {
    for (const [key, to] of outcomes) {
      const more = to.least !== undefined && this.least(key) > to.least
      if (!more) this.#facts.set(key, { expected: to, owner })
    }
  }

  #forget(outcomes: Outcome): void {
    for (const [key] of outcomes) this.#facts.delete(key)
  }

  #keepOnly(isKept: (key: string) => boolean): void {
    for (const key of this.#facts.keys()) if (!isKept(key)) this.#facts.delete(key)
  }

  #apply({ fate, outcome, scenario }: Replacement): void {
    for (const [key, fact] of this.#facts) {
      const what = fate(key)
      if (what === 'gone') fact.expected = gone
      else if (what === 'unknown') this.#facts.delete(key)
    }
    const name: Outcome = scenario === undefined ? [] : [['scenario', is(scenario)]]
    this.#learn([...outcome, ...name], 'client 0')
  }
}
