import type * as z from 'zod'
import { builtInScenario } from './built-in-scenarios.js'
import { capitalize } from '../../base/text/capitalize.js'
import { removedKeys, removedText } from '../../base/text/removed.js'
import { findReservedKey, findUnwritable } from '../../base/text/writable.js'
import { comparedParts } from './schema/compared-parts.js'
import { scenarioSchema } from './schema/scenario.js'
import type { Scenario, ScenarioInput } from './scenario.js'
import { extendScenario, ownPath } from './extend-scenario.js'
import { namesFile } from './names-file.js'
import { formatValue } from './issue-text.js'
import {
  placeOf,
  problem,
  readPart,
  type PartCheck,
  type Path,
  type PlacedProblem,
} from './part-problems.js'
import { ScenarioError } from './scenario-error.js'
import { withPlacedFunctions } from './scenario-function.js'

/**
 * Checks a scenario and fills in defaults.
 *
 * @throws {ScenarioError} When it is not valid. The error lists all problems.
 */
export function checkScenario(input: unknown): Scenario {
  const result = findProblems(input)
  if (result.ok) return result.scenario
  throw new ScenarioError('The scenario cannot be used', result.problems)
}

export type ScenarioCheck =
  | { ok: true; scenario: Scenario }
  | { ok: false; problems: PlacedProblem[] }

/**
 * Checks a part of a scenario and fills in defaults.
 *
 * @param part - Names it in errors: `the fault`.
 * @throws {ScenarioError} When it is not valid.
 */
export function checkPart<T>(schema: z.ZodType<T>, input: unknown, part: string): T {
  const result = readWhole(schema, input)
  if (result.ok) return withPlacedFunctions(result.value, part)
  throw new ScenarioError(unusable(part), result.problems)
}

/** Says that a part of a scenario is not valid, as `checkPart` does. */
export function unusable(part: string): string {
  return `${capitalize(part)} cannot be used`
}

/** Reads a value, and refuses it if a part would be lost: what a scenario contains is saved with the world. */
function readWhole<T>(
  schema: z.ZodType<T>,
  input: unknown,
  facts?: Parameters<typeof readPart>[2],
): PartCheck<T> {
  const found = findUnwritable(input)
  if (found) return { ok: false, problems: [problem(found.path, false, found.message)] }
  const result = readPart(schema, input, facts)
  const reserved = result.ok ? findReservedKey(input) : undefined
  if (!reserved) return result
  const message = 'expected another name; this one is reserved'
  return { ok: false, problems: [problem(reserved, true, message)] }
}

/**
 * Returns the checked scenario, or its problems. In a problem, `path` is the place, and `onKey` says that the
 * key is wrong and not its value.
 *
 * @param parent - The scenario that it extends, if that is a file. Built-in scenarios are found by name.
 */
export function findProblems(input: unknown, parent?: Scenario): ScenarioCheck {
  const comparesParts = comparedParts.some((part) => Object.hasOwn(Object(input), part))
  const facts = { removedKey: removedKeyText, comparesParts }
  const result = readWhole(scenarioSchema, input, facts)
  if (!result.ok) return result
  const { extends: parentName, name } = result.value
  if (parentName === undefined) {
    return { ok: true, scenario: withPlacedFunctions(result.value, `the scenario "${name}"`) }
  }
  const found = parent ?? parentNamed(parentName)
  if (typeof found === 'string')
    return { ok: false, problems: [problem(['extends'], false, found)] }
  // Checked again after merging: two valid scenarios can be wrong together.
  const merged = extendScenario(found, input as ScenarioInput)
  const whole = findProblems(merged)
  if (whole.ok) return whole
  const problems = whole.problems.map((each) => {
    return { ...each, ...placeOf(ownPath(each.path, merged, input as ScenarioInput)) }
  })
  return { ok: false, problems }
}

/** Returns the built-in scenario of that name, or the message of a problem. */
function parentNamed(name: string): Scenario | string {
  if (namesFile(name)) {
    return `"${name}" is a file, which only a file can extend. Read this scenario with loadScenario, or extend a built-in one.`
  }
  try {
    return builtInScenario(name)
  } catch (error) {
    return (error as Error).message
  }
}

/** Says that a key of a scenario was removed. */
function removedKeyText(path: Path): string | undefined {
  const name = path.map((part) => (typeof part === 'number' ? '[]' : `.${part}`)).join('')
  return removedText(removedKeys, name.slice(1), formatValue(path.at(-1)))
}
