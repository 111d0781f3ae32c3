import type { ScenarioInput } from './scenario.js'

/**
 * Returns the scenario unchanged. Use it in a TypeScript file, so that the compiler checks the types of the
 * scenario and editors complete it. `createEmulator` and the command line check the values.
 *
 * @example
 * export default defineScenario({
 *   name: 'mine',
 *   faults: [{ fault: 'status', status: 503, calls: 1 }],
 * })
 */
export function defineScenario(scenario: ScenarioInput): ScenarioInput {
  return scenario
}
