import type { Engine } from '../engine/engine.js'
import type { Journal } from '../engine/journal.js'

/** The parts of an emulator that its test functions use. */
export interface TestedWorld {
  readonly engine: Engine
  readonly journal: Journal
  readonly seed: number
  /** The name of the world of one API key. */
  readonly worldName?: string | null
}

/** Formats what is needed to reproduce a failing test. */
export function origin({ engine, seed }: TestedWorld): string {
  return `scenario "${engine.scenario.name}", seed ${seed}, clock ${engine.clock.mode}`
}
