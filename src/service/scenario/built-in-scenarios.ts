import compiled from './built-in-scenarios.generated.json' with { type: 'json' }
import { didYouMean } from '../../base/text/nearest.js'
import type { Scenario } from './scenario.js'
import { ScenarioError } from './scenario-error.js'

export { builtInScenarioNames, type BuiltInScenarioName } from './built-in-names.js'

// The build checks scenarios/*.yaml and writes this file, so that the start needs neither a YAML parser nor
// the schema library.
const scenarios = compiled as unknown as Readonly<Record<string, Scenario>>

export const DEFAULT_SCENARIO = 'happy-path'

/**
 * All built-in scenarios, with defaults filled in.
 *
 * @example
 * for (const { name, description } of builtInScenarios) console.log(name, description)
 */
export const builtInScenarios: readonly Scenario[] = Object.values(scenarios)

/** A prefix of a model's name that decides what its jobs do in the default scenario. */
export interface MagicName {
  /** The prefix. */
  name: string
  /** Completes "its jobs …". */
  effect: string
}

/** Returns the magic names. They work like the test card numbers of payment services, and begin with `sim-`. */
export function magicNames(): MagicName[] {
  return builtInScenario(DEFAULT_SCENARIO).jobs.flatMap(({ match, description = '' }) => {
    if (typeof match === 'function' || match.kind === 'sft') return []
    const globs = [match.model ?? []].flat().filter((glob) => glob.startsWith('sim-'))
    return globs.map((glob) => ({ name: glob.replace(/\*$/, ''), effect: description }))
  })
}

/**
 * Returns a built-in scenario by name.
 *
 * @throws {ScenarioError} When there is no scenario of that name. The message suggests the nearest name.
 */
export function builtInScenario(name: string): Scenario {
  if (Object.hasOwn(scenarios, name)) return scenarios[name]!
  const known = Object.keys(scenarios)
  const hint = didYouMean(name, known)
  throw new ScenarioError(
    `Unknown scenario "${name}".${hint} "svtrain-emulator scenarios list" prints the ${known.length} built-in names. A path to a YAML, JSON or TypeScript file works as well.`,
  )
}

/** Whether a scenario is one of the built-in ones, and not another one with the same name. */
export function isBuiltIn(scenario: Scenario): boolean {
  return Object.hasOwn(scenarios, scenario.name) && scenarios[scenario.name] === scenario
}
