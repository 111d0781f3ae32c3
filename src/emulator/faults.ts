import type { Engine } from '../service/engine/engine.js'
import type { FaultScope, LiveFault } from '../service/engine/faults/live-fault.js'
import type { FaultInput } from '../service/scenario/scenario.js'
import { aText, Options } from '../base/text/options.js'
import type { ChecksSource } from './checks.js'

export const faultScope = new Options<FaultScope>('faults.for', {
  key: aText,
  user: aText,
  model: aText,
})

/** A fault that was added while the emulator runs. */
export interface AddedFault {
  /** The name from the input, or an invented one. */
  readonly name: string
  /** How many requests it affected. */
  readonly hits: number
  /** Whether it takes effect. Set it to close or open the fault. */
  open: boolean
  /** Removes the fault. */
  remove: () => void
}

interface Faulty {
  readonly engine: Engine
  readonly checks: ChecksSource
}

/** Faults that you add and remove while the emulator runs: `emulator.faults`. */
export class FaultControl {
  readonly #emulator: Faulty
  readonly #scope: FaultScope
  /** Those that were added here. */
  readonly #mine = new WeakSet<LiveFault>()

  constructor(emulator: Faulty, scope: FaultScope = {}) {
    this.#emulator = emulator
    this.#scope = scope
  }

  /**
   * Adds a fault, written as in a scenario. It takes precedence over all others.
   *
   * @returns A handle that counts its hits, and closes or removes it.
   * @throws {ScenarioError} When the fault cannot be used.
   * @example
   * const fault = emulator.faults.add({ fault: 'hang' })
   * fault.remove()
   */
  add(input: FaultInput): AddedFault {
    const rule = this.#emulator.checks.loaded.fault(input)
    const { faults } = this.#emulator.engine
    const live = faults.add(rule, this.#scope)
    this.#mine.add(live)
    return {
      name: live.name,
      get hits() {
        return live.hits
      },
      get open() {
        return live.open
      },
      set open(open: boolean) {
        live.open = open
      },
      remove: () => void faults.remove((each) => each === live),
    }
  }

  /**
   * Removes all faults that were added here. Faults of the scenario stay.
   *
   * @example
   * afterEach(() => emulator.faults.clear())
   */
  clear(): void {
    this.#emulator.engine.faults.remove((each) => this.#mine.has(each))
  }

  /**
   * Limits faults to the requests of one key, user or model, so that tests that run side by side do not
   * disturb each other.
   *
   * @returns Faults of their own: its `clear` removes only those that were added to it.
   * @throws {OptionsError} When the scope is unknown.
   * @example
   * emulator.faults.for({ key: 'a-key' }).add({ fault: 'status', status: 503 })
   */
  for(scope: FaultScope): FaultControl {
    faultScope.check(scope)
    return new FaultControl(this.#emulator, inOrder({ ...this.#scope, ...scope }))
  }
}

/** The fields of a scope in one order, so that a restored world is saved with the same bytes. */
function inOrder(scope: FaultScope): FaultScope {
  const names = Object.keys(faultScope.table) as (keyof FaultScope)[]
  const given = names.filter((name) => scope[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, scope[name]]))
}
