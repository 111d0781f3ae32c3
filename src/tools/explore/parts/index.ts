import type { OwnScenario } from '../exploration.js'
import type { DrawnPart, Part } from '../part.js'
import { builtInScenarios, laterScenarios } from './built-in-scenarios.js'
import { crashes } from './crashes.js'
import { demandScenarios } from './demands.js'
import { drawnFaults } from './drawn-faults.js'
import { fields } from './fields.js'
import { ownScenarios } from './own-scenarios.js'
import { polls } from './polls.js'
import { webhooks } from './webhooks.js'

/** What an exploration tries after the run without any fault, in the order of its plan. */
export const allParts: readonly Part[] = [
  ownScenarios,
  polls,
  webhooks,
  builtInScenarios,
  demandScenarios,
  laterScenarios,
  fields,
  crashes,
  drawnFaults,
]

/** Returns the parts whose runs have numbers instead of names. */
export function drawnIn(all: readonly Part[]): DrawnPart[] {
  return all.filter((part) => part.kind !== 'scenario')
}

/** Returns what `only` and `skip` take. */
export function namesIn(all: readonly Part[], own: readonly OwnScenario[]): string[] {
  return all.flatMap((part) => (part.kind === 'scenario' ? part.names(own) : part.kind))
}
