import type * as z from 'zod'
import { builtInScenario } from './built-in-scenarios.js'
import { didYouMean } from '../text/nearest.js'
import { scenarioSchema } from './schema/scenario.js'
import { webhookProblems } from './schema/check-webhooks.js'
import { webhookParts } from './schema/webhooks.js'
import type { Scenario, ScenarioInput, WebhookPartsInput } from './scenario.js'
import { extendScenario, namesFile } from './extend-scenario.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'
import { missingSecrets } from './missing-secrets.js'

export type Path = readonly (string | number)[]

/**
 * Gives a scenario its types. It does not check the scenario: `createEmulator` does.
 *
 * @example
 * export default defineScenario({ name: 'mine', jobs: [] })
 */
export function defineScenario(scenario: ScenarioInput): ScenarioInput {
  return scenario
}

/**
 * Checks a scenario that is an object.
 *
 * @throws {ScenarioError} When it is not valid. The error lists all problems.
 */
export function checkScenario(input: unknown): Scenario {
  const result = findProblems(input)
  if (result.ok) return result.scenario
  throw new ScenarioError('The scenario cannot be used:', result.problems)
}

export type Checked = { ok: true; scenario: Scenario } | { ok: false; problems: PlacedProblem[] }

/**
 * Checks a part of a scenario.
 *
 * @throws {ScenarioError} When it is not valid. The message begins with `heading`.
 */
export function checkPart<T>(schema: z.ZodType<T>, input: unknown, heading: string): T {
  const result = readPart(schema, input)
  if (result.ok) return result.value
  throw new ScenarioError(heading, result.problems)
}

/**
 * Parses a value by a schema and fills in defaults, or returns what is wrong with it.
 *
 * @param hides Whether the value at a path may be secret. Messages then show only its type.
 */
export function readPart<T>(
  schema: z.ZodType<T>,
  input: unknown,
  hides: Checking['hides'] = () => false,
): { ok: true; value: T } | { ok: false; problems: PlacedProblem[] } {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, problems: problemsOf(result.error, { schema, input, hides }) }
}

type PlacedProblem = ScenarioProblem & { path: Path; onKey: boolean }

type WebhookParts = Pick<Scenario, keyof WebhookPartsInput>

/**
 * Checks webhooks that are added to existing ones.
 *
 * @throws {ScenarioError} When they are not valid.
 */
export function checkWebhooks(input: WebhookPartsInput, present: WebhookParts): WebhookParts {
  const heading = 'The webhooks cannot be used:'
  const added = checkPart(webhookParts, input, heading)
  const kept = <T extends { name: string }>(all: readonly T[], by: readonly T[]): T[] => {
    return all.filter(({ name }) => !by.some((each) => each.name === name))
  }
  // Secrets that were removed, or left out of a snapshot, are still known.
  const missing = Object.fromEntries(missingSecrets(present).map((name) => [name, '']))
  // The added ones first, so that paths in messages are those of the input.
  const problems = webhookProblems({
    secrets: { ...missing, ...present.secrets, ...added.secrets },
    webhooks: [...added.webhooks, ...kept(present.webhooks, added.webhooks)],
    automations: [...added.automations, ...kept(present.automations, added.automations)],
  })
  if (problems.length === 0) return added
  throw new ScenarioError(
    heading,
    problems.map(({ path, message }) => problem(path, false, message)),
  )
}

/**
 * Returns the checked scenario, or its problems. `path` says where a problem is, and `onKey` that the key is
 * wrong, not its value. `parent` is the scenario of the file that it extends. Built-in ones are found by
 * name.
 */
export function findProblems(input: unknown, parent?: Scenario): Checked {
  const result = readPart(scenarioSchema, input)
  if (!result.ok) return result
  const { extends: parentName } = result.value
  if (parentName === undefined) return { ok: true, scenario: result.value }
  const found = parent ?? parentCalled(parentName)
  if (typeof found === 'string')
    return { ok: false, problems: [problem(['extends'], false, found)] }
  // Checked again after merging, as the two may only be wrong together.
  return findProblems(extendScenario(found, input as ScenarioInput))
}

/** Returns the built-in scenario of that name, or a problem if there is none. */
function parentCalled(name: string): Scenario | string {
  if (namesFile(name)) {
    return `"${name}" is a file, which only a file can extend. Read this scenario with loadScenario, or extend a built-in one.`
  }
  try {
    return builtInScenario(name)
  } catch (error) {
    return (error as Error).message
  }
}

type Issue = z.core.$ZodIssue

interface Checking {
  schema: unknown
  input: unknown
  hides: (path: Path) => boolean
}

/** The most problems that are listed for one value: all items of a long list may have the same problem. */
const MOST_PROBLEMS = 100

function problemsOf(error: z.ZodError, checking: Checking) {
  const issues = error.issues.slice(0, MOST_PROBLEMS).flatMap(innermost)
  return issues.flatMap((issue) => tell(issue, checking))
}

/** For a union, returns the problems of the variant that got furthest. They help most. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue]
  const variants = issue.errors.map((issues) => issues.flatMap(innermost))
  const furthest = variants.reduce((best, next) => (depth(next) > depth(best) ? next : best))
  if (depth(furthest) === 0) return [issue]
  return furthest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }))
}

function depth(issues: readonly Issue[]): number {
  return Math.max(
    0,
    ...issues.map(({ path, code }) => path.length + Number(code === 'unrecognized_keys')),
  )
}

function tell(issue: Issue, checking: Checking) {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path, checking)
    return issue.keys.map((key) => problem([...path, key], true, unknownKey(key, known)))
  }
  const value = valueAt(checking.input, path)
  const told = checking.hides(path) ? kindOf(value) : shown(value)
  return [problem(path, false, wording(issue, { value, told }))]
}

function problem(path: Path, onKey: boolean, message: string) {
  return { path, onKey, place: placeOf(path), message }
}

function unknownKey(key: string, known: readonly string[]): string {
  const listed = known.length > 0 ? ` Known here: ${known.join(', ')}.` : ''
  return `unknown key ${shown(key)}${suggestion(key, known)}${listed}`
}

/** The type of a value that may be secret. */
function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return names.array!
  return names[typeof value] ?? typeof value
}

function wording(issue: Issue, { value, told }: { value: unknown; told: string }): string {
  const allowed = allowedBy(issue)
  const listed = allowed ? ` Allowed: ${allowed.join(', ')}.` : ''
  if (value === undefined) return listed === '' ? 'is missing' : `is missing.${listed}`
  if (allowed) {
    // A suggestion would reveal a hidden value.
    const meant =
      told === shown(value) ? suggestion(typeof value === 'string' ? value : told, allowed) : '.'
    return `${told} is not allowed here${meant}${listed}`
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  // Our own complete sentences need no "got".
  if (issue.code === 'custom' && !issue.message.startsWith('expected')) return issue.message
  return `${expectation(issue)}, got ${told}`
}

function suggestion(written: string, known: readonly string[]): string {
  return `.${didYouMean(written, known)}`
}

/** Our own messages say what was expected. Those of the library are reworded. */
function expectation(issue: Issue): string {
  if (issue.message.startsWith('expected')) return issue.message
  if (issue.code === 'invalid_type') return `expected ${names[issue.expected] ?? issue.expected}`
  if (issue.code === 'too_small' && issue.origin !== 'number') return 'must not be empty'
  if (issue.code === 'too_small') {
    return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
  }
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`
  return issue.message
}

const names: Readonly<Record<string, string>> = {
  object: 'a map of keys and values',
  record: 'a map of keys and values',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const LONGEST_SHOWN = 80

function shown(value: unknown): string {
  // YAML has these numbers, JSON does not.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'function') return 'a function'
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) return String(value)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

function allowedBy(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return undefined
  // The discriminator of a union. The library's type does not have the options.
  const { options } = issue as { options?: string[] }
  if (options) return options
  const variants = issue.errors.flat().map(allowedBy)
  return variants.every((values) => values !== undefined) ? variants.flat() : undefined
}

/** The keys that the schema allows at a path, in all variants that the value may be. */
function knownKeys(path: Path, { schema: whole, input }: Checking): string[] {
  let schemas = [whole]
  let value = input
  for (const part of path) {
    schemas = schemas.flatMap((schema) => unwrap(schema, value).map((each) => step(each, part)))
    value = valueAt(value, [part])
  }
  const known = schemas
    .flatMap((schema) => unwrap(schema, value))
    .flatMap(({ shape = {} }) => Object.keys(shape))
  return [...new Set(known)]
}

interface Definition {
  innerType?: unknown
  in?: unknown
  element?: unknown
  valueType?: unknown
  options?: readonly unknown[]
  discriminator?: string
  shape?: Record<string, unknown>
}

function definitionOf(schema: unknown): Definition {
  return (schema as { def?: Definition } | undefined)?.def ?? {}
}

/**
 * Unwraps defaults, optionals and transforms. For a union with a discriminator, returns the variant of the
 * value. For another union, returns all variants.
 */
function unwrap(schema: unknown, value: unknown): Definition[] {
  const definition = definitionOf(schema)
  const { innerType, in: source, options, discriminator } = definition
  if (innerType) return unwrap(innerType, value)
  if (source) return unwrap(source, value)
  if (options && discriminator) {
    const chosen = valueAt(value, [discriminator])
    return options.map(definitionOf).filter(({ shape }) => {
      const literal = definitionOf(shape?.[discriminator]) as { values?: readonly unknown[] }
      return literal.values?.includes(chosen)
    })
  }
  return options ? options.flatMap((option) => unwrap(option, value)) : [definition]
}

function step({ element, valueType, shape }: Definition, part: string | number): unknown {
  if (typeof part === 'number') return element
  return shape?.[part] ?? valueType
}

function valueAt(value: unknown, path: Path): unknown {
  let found = value
  for (const part of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, part)) return undefined
    found = (found as Record<string | number, unknown>)[part]
  }
  return found
}

/** Formats a path: `jobs[0].timeline[1]`. */
export function placeOf(path: Path): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}
