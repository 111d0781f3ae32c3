import compiled from './built-in-scenarios.generated.json' with { type: 'json' }
import { builtInScenario } from './built-in-scenarios.js'
import type { Scenario } from './scenario.js'

/**
 * All built-in scenarios, with defaults filled in.
 *
 * @example
 * for (const { name, description } of builtInScenarios) console.log(name, description)
 */
export const builtInScenarios: readonly Scenario[] = Object.keys(compiled).map(builtInScenario)
