import { asFound, gone, is, type Expected } from './expected.js'

/** What becomes of things: by the key of each, such as `fault:added-1`. */
export type Outcome = readonly (readonly [key: string, to: Expected])[]

interface Fact {
  expected: Expected
  /** The client that alone changes it. */
  owner: string
}

interface Sent {
  readonly outcome: Outcome
  readonly age: number
}

/** A change of the whole world. */
export interface Replacement {
  /** The name of the scenario afterwards; left out where it stays as it was. */
  readonly scenario?: string
  /** Which facts stay; `gone` for a thing that must not be there afterwards; else nothing is known. */
  readonly fate: (key: string) => 'stays' | 'gone' | 'unknown'
  readonly outcome: Outcome
}

export interface Change<T> {
  readonly owner: string
  /** What becomes of things that were there before. */
  readonly outcome?: Outcome
  /** What the answer tells of things. */
  readonly told?: (answer: T) => Outcome
  /** Resolves to undefined if the emulator refused it, and rejects if no answer came. */
  readonly send: () => Promise<T | undefined>
}

/**
 * What clients were told. Each thing is changed by one client, one change after the other, so each
 * acknowledged change is the last one. A change without an answer may have happened or not.
 */
export class Truth {
  readonly #facts = new Map<string, Fact>()
  readonly #sent = new Set<Sent>()
  /** Grows when a change of the whole world begins and when it ends: odd means under way. */
  #age = 0
  #replacing: Replacement | undefined

  /** Whether the whole world was replaced since then, or is being replaced. */
  isOtherThan(age: number): boolean {
    return age !== this.#age || age % 2 === 1
  }

  get age(): number {
    return this.#age
  }

  /** The keys that begin like this, of things that belong to this client and hold what is expected. */
  keys(owner: string, prefix: string, like?: Expected): string[] {
    return [...this.#facts].flatMap(([key, fact]) => {
      const isMeant = like === undefined ? fact.expected !== gone : fact.expected.text === like.text
      return fact.owner === owner && key.startsWith(prefix) && isMeant ? [key] : []
    })
  }

  /** The least number that was told of this. */
  least(key: string): number {
    return this.#facts.get(key)?.expected.least ?? 0
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

  /** Changes the whole world; what overlaps it may come before it or after it. */
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
   * Compares with what the next process has, and goes on from there.
   *
   * @returns How many things were compared, and what to say of each that is not as acknowledged.
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

  /** What was under way when the process was killed has happened or has not. */
  #settleReplacement(scenario: unknown): void {
    const replacing = this.#replacing
    for (const sent of this.#sent) if (this.isOtherThan(sent.age)) this.#forget(sent.outcome)
    if (replacing?.scenario === undefined) {
      if (replacing) this.#keepOnly((key) => replacing.fate(key) === 'stays')
    } else if (this.#facts.get('scenario')?.expected.holds(replacing.scenario) !== false) {
      // The name of the scenario does not tell which of the two worlds it is.
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
