import type { Engine } from '../engine/engine.js'
import type { FaultScope, LiveFault } from '../engine/faults/live-fault.js'
import type { FaultInput } from '../scenario/scenario.js'
import { fault as faultSchema } from '../scenario/schema/faults.js'
import { Options, aText } from '../text/options.js'
import { checkPart } from '../scenario/check-scenario.js'

export const faultScope = new Options<FaultScope>('faults.for', {
  key: aText,
  user: aText,
  model: aText,
})

/** A fault that was added while things go on. */
export interface AddedFault {
  readonly name: string
  /** How often it took effect. */
  readonly hits: number
  open: boolean
  remove: () => void
}

/** What goes wrong, changed while things go on: `emulator.faults.add({ fault: 'hang' })`. */
export class FaultControl {
  readonly #engine: () => Engine
  readonly #scope: FaultScope
  #mine: LiveFault[] = []

  constructor(engine: () => Engine, scope: FaultScope = {}) {
    this.#engine = engine
    this.#scope = scope
  }

  /**
   * Adds a fault, as a scenario would have it; it comes before all others. Raises `ScenarioError`
   * that says what is wrong with it.
   */
  add(input: FaultInput): AddedFault {
    const rule = checkPart(faultSchema, input, 'The fault cannot be used:')
    const engine = this.#engine()
    const live = engine.faults.add(rule, this.#scope)
    this.#mine.push(live)
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
      remove: () => void engine.faults.remove((each) => each === live),
    }
  }

  /** Takes back all that were added here; those of the scenario stay. */
  clear(): void {
    const mine = new Set(this.#mine)
    this.#mine = []
    this.#engine().faults.remove((each) => mine.has(each))
  }

  /**
   * The same for the requests of one key, user or model alone, so that tests that run side by side
   * do not disturb each other. `clear` of a scope leaves the others as they are. Throws `OptionsError`.
   */
  for(scope: FaultScope): FaultControl {
    faultScope.check(scope)
    return new FaultControl(this.#engine, { ...this.#scope, ...scope })
  }
}
