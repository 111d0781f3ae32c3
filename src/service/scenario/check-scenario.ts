import type * as z from 'zod'
import { builtInScenario } from './built-in-scenarios.js'
import { isObject } from '../../base/text/options.js'
import { removedKeys, removedText } from '../../base/text/removed.js'
import { findReservedKey, findUnwritable } from '../../base/text/writable.js'
import { scenarioSchema } from './schema/scenario.js'
import { secretValueProblems, webhookProblems } from './schema/check-webhooks.js'
import { webhookParts } from './schema/webhooks.js'
import type { Scenario, ScenarioInput, WebhookParts, WebhookPartsInput } from './scenario.js'
import { extendScenario } from './extend-scenario.js'
import { namesFile } from './names-file.js'
import { formatValue } from './issue-text.js'
import {
  problem,
  readPart,
  type PartCheck,
  type Path,
  type PlacedProblem,
} from './part-problems.js'
import { ScenarioError } from './scenario-error.js'
import { missingSecrets } from './missing-secrets.js'

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

/**
 * Checks a scenario and fills in defaults.
 *
 * @throws {ScenarioError} When it is not valid. The error lists all problems.
 */
export function checkScenario(input: unknown): Scenario {
  const result = findProblems(input)
  if (result.ok) return result.scenario
  throw new ScenarioError('The scenario cannot be used:', result.problems)
}

export type ScenarioCheck =
  | { ok: true; scenario: Scenario }
  | { ok: false; problems: PlacedProblem[] }

/**
 * Checks a part of a scenario and fills in defaults.
 *
 * @throws {ScenarioError} When it is not valid. The message begins with `heading`.
 */
export function checkPart<T>(schema: z.ZodType<T>, input: unknown, heading: string): T {
  const result = readWhole(schema, input)
  if (result.ok) return result.value
  throw new ScenarioError(heading, result.problems)
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
 * Checks webhooks that are added to the webhooks of a scenario. One of a known name changes that: what it does not name
 * stays, and null is the default again.
 *
 * @throws {ScenarioError} When they are not valid.
 */
export function checkWebhooks(input: WebhookPartsInput, present: WebhookParts): WebhookParts {
  const heading = 'The webhooks cannot be used:'
  const added = checkPart(webhookParts, completed(input, present), heading)
  const notReplaced = <T extends { name: string }>(all: readonly T[], by: readonly T[]): T[] => {
    return all.filter(({ name }) => !by.some((each) => each.name === name))
  }
  // Names of secrets without a value are valid: the value was removed, or is not in the snapshot.
  const missing = Object.fromEntries(missingSecrets(present).map((name) => [name, '']))
  // The added ones come first, so that the paths in messages are paths in the input.
  const betweenParts = webhookProblems({
    secrets: { ...missing, ...present.secrets, ...added.secrets },
    webhooks: [...added.webhooks, ...notReplaced(present.webhooks, added.webhooks)],
    automations: [...added.automations, ...notReplaced(present.automations, added.automations)],
  })
  const problems = [...secretValueProblems(added.secrets), ...betweenParts]
  if (problems.length === 0) return added
  throw new ScenarioError(
    heading,
    problems.map(({ path, message }) => problem(path, false, message)),
  )
}

/** Completes webhooks with the settings that those of the same names have. The input is not checked yet. */
function completed(input: unknown, { webhooks }: WebhookParts): unknown {
  if (!isObject(input) || !Array.isArray(input['webhooks'])) return input
  const all = input['webhooks'].map((each: unknown) => {
    if (!isObject(each)) return each
    const named = Object.entries(each).filter(([, value]) => value !== undefined)
    const before = webhooks.find(({ name }) => name === each['name'])
    const settings = Object.entries<unknown>({ ...before, ...Object.fromEntries(named) })
    return Object.fromEntries(settings.filter(([, value]) => value !== null))
  })
  return { ...input, webhooks: all }
}

/**
 * Returns the checked scenario, or its problems. In a problem, `path` is the place, and `onKey` says that the
 * key is wrong and not its value.
 *
 * @param parent - The scenario that it extends, if that is a file. Built-in scenarios are found by name.
 */
export function findProblems(input: unknown, parent?: Scenario): ScenarioCheck {
  const facts = { removedKey: removedKeyText, comparesParts: hasNames(input) }
  const result = readWhole(scenarioSchema, input, facts)
  if (!result.ok) return result
  const { extends: parentName } = result.value
  if (parentName === undefined) return { ok: true, scenario: result.value }
  const found = parent ?? parentNamed(parentName)
  if (typeof found === 'string')
    return { ok: false, problems: [problem(['extends'], false, found)] }
  // Checked again after merging: two valid scenarios can be wrong together.
  return findProblems(extendScenario(found, input as ScenarioInput))
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

/** Whether parts of a scenario are compared with each other: they name operations, faults, webhooks or secrets. */
function hasNames(input: unknown): boolean {
  const parts = ['faults', 'webhooks', 'automations', 'timeline'] as const
  return parts.some((part) => Object.hasOwn(Object(input), part))
}

/** Says that a key of a scenario was removed. */
function removedKeyText(path: Path): string | undefined {
  const name = path.map((part) => (typeof part === 'number' ? '[]' : `.${part}`)).join('')
  return removedText(removedKeys, name.slice(1), formatValue(path.at(-1)))
}
