import type { Engine } from '../engine/engine.js'
import type { Journal } from '../engine/journal.js'

/** An emulator, as far as arranging and verifying needs it. */
export interface TestedWorld {
  readonly engine: Engine
  readonly journal: Journal
  readonly seed: number
}

/** What a failing test's reader needs to see the same again. */
export function origin({ engine, seed }: TestedWorld): string {
  return `scenario "${engine.scenario.name}", seed ${seed}, clock ${engine.clock.mode}`
}
