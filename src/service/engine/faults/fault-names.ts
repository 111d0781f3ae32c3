import type { FaultHit } from '../journal-entry.js'

/** How the ids of the faults of the scenario begin. A number follows. */
export const SCRIPTED = 'scenario-'

/** How the ids of all other faults begin. A number follows. */
export const ADDED = 'added-'

/** The name of a fault whose rule has none. */
export function nameFor(id: string): string {
  return id.replace(SCRIPTED, 'fault ').replace(ADDED, 'added fault ')
}

/** Says what a fault did: `fault 1: truncated`. */
export function hitText({ name, effect }: Pick<FaultHit, 'name' | 'effect'>): string {
  return `${name}: ${effect}`
}
