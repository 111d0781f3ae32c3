import compiled from './built-in-scenarios.generated.json' with { type: 'json' }
import { didYouMean } from '../../base/text/nearest.js'
import type { Scenario } from './scenario.js'
import { namesFile } from './names-file.js'
import { ScenarioError } from './scenario-error.js'

export { builtInScenarioNames, type BuiltInScenarioName } from './built-in-names.js'

// The build checks scenarios/*.yaml and writes this file, so that the start needs neither a YAML parser nor
// the schema library. Each scenario is JSON, because a start uses one or two of them. A part is null if it is that of
// the default scenario.
const texts: Readonly<Record<string, string>> = compiled

/** The scenarios that were used. */
const scenarios = new Map<string, Scenario>()

export const DEFAULT_SCENARIO = 'happy-path'

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
  const used = scenarios.get(name)
  if (used) return used
  if (Object.hasOwn(texts, name)) {
    const parts = partsOf(name)
    const usual = name === DEFAULT_SCENARIO ? parts : partsOf(DEFAULT_SCENARIO)
    const whole = Object.entries(parts).map(([part, value]) => [part, value ?? usual[part]])
    const scenario = Object.fromEntries(whole) as Scenario
    scenarios.set(name, scenario)
    return scenario
  }
  if (namesFile(name)) {
    throw new ScenarioError(
      `Unknown scenario "${name}": expected the name of a built-in one, and this is a path. Load the file first: scenario: await loadScenario(${JSON.stringify(name)}).`,
    )
  }
  const known = Object.keys(texts)
  const hint = didYouMean(name, known)
  throw new ScenarioError(
    `Unknown scenario "${name}".${hint} "svtrain-emulator scenarios list" prints the ${known.length} built-in names. For a file, give its path, such as ./mine.yaml.`,
  )
}

function partsOf(name: string): Record<string, unknown> {
  return JSON.parse(texts[name]!) as Record<string, unknown>
}

/** Whether a scenario is one of the built-in ones, and not another one with the same name. */
export function isBuiltIn(scenario: Scenario): boolean {
  return scenarios.get(scenario.name) === scenario
}
