import type { World } from './world.js'

/** What must always be true. */
export const invariants = {
  answers: 'Every request is answered as it should be, and none with 500',
  jobs: 'Each accepted job ends, fails, or is accounted for, by events in legal order',
  pages: 'Pages hold each item once, in order, without gaps',
  checkpoints: 'Checkpoints go up step by step',
  deliveries: 'Each delivery comes to a final state, signed as it should be',
  rest: 'Nothing is left over once the load has ended: no timer, socket or request',
  memory: 'Memory is flat over the run',
  kept: 'What was acknowledged is there after `kill -9`',
  process: 'The process says nothing on stderr, and ends with 0',
  inputs:
    'An odd input gets no 500, foreign error or endless wait, and has no effect if it is refused',
} as const

export type Invariant = keyof typeof invariants

export interface Finding {
  readonly invariant: Invariant
  readonly text: string
  /** The client and the round that found it first. Use them with the seed to repeat it. */
  readonly met: string
  times: number
}

/** An event that a client saw. */
export interface SeenEvent {
  readonly id: string
  readonly type: string
}

/** A job whose creation was acknowledged. */
export interface Account {
  readonly world: World
  readonly generation: number
  /** Whether the scenario can make it wait forever. */
  readonly mayStick: boolean
  readonly by: string
  readonly seen: Map<string, string>
}

/** What each trial of an emulator is told. */
export interface TrialOptions {
  /** Decides what each client does, or what each input is. */
  readonly seed: number
  /** Called with the progress from time to time. */
  readonly progress?: (line: string) => void
}

/** Counts the work, and collects accepted jobs and findings. */
export class Ledger {
  readonly counts = new Map<string, number>()
  readonly accounts = new Map<string, Account>()
  /** The control calls without an answer so far, by client. */
  readonly waiting = new Map<string, string>()
  readonly #findings = new Map<string, Finding>()
  /** The current round, for new findings. */
  round = 0
  /** Called with each new finding. */
  found: (finding: Finding) => void = () => {}

  get findings(): readonly Finding[] {
    return [...this.#findings.values()]
  }

  count(what: string, times = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  counted(what: string): number {
    return this.counts.get(what) ?? 0
  }

  find(invariant: Invariant, text: string, who: string): void {
    // The same finding can have different ids.
    const same = `${invariant} ${text.replaceAll(/[\da-f]{8}(?:-[\da-f-]+)?/g, '…').slice(0, 120)}`
    const known = this.#findings.get(same)
    if (known) known.times++
    else {
      const met = `${who}, round ${this.round}`
      const finding = { invariant, text, met, times: 1 }
      this.#findings.set(same, finding)
      this.found(finding)
    }
  }
}
