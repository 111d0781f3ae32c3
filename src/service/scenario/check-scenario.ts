import { valueAt } from '../../base/text/value-at.js'
import type * as z from 'zod'
import { builtInScenario } from './built-in-scenarios.js'
import { formatPath } from '../../base/text/format-path.js'
import { didYouMean, nearest } from '../../base/text/nearest.js'
import { removedKeys, removedText } from '../../base/text/removed.js'
import { findReservedKey, findUnwritable } from '../../base/text/writable.js'
import { scenarioSchema } from './schema/scenario.js'
import { secretValueProblems, webhookProblems } from './schema/check-webhooks.js'
import { webhookParts } from './schema/webhooks.js'
import type { Scenario, ScenarioInput, WebhookParts, WebhookPartsInput } from './scenario.js'
import { extendScenario } from './extend-scenario.js'
import { namesFile } from './names-file.js'
import { ScenarioError, type ScenarioProblem } from './scenario-error.js'
import { missingSecrets } from './missing-secrets.js'

export type Path = readonly (string | number)[]

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
function readWhole<T>(schema: z.ZodType<T>, input: unknown): ReturnType<typeof readPart<T>> {
  const found = findUnwritable(input)
  if (found) return { ok: false, problems: [problem(found.path, false, found.message)] }
  const result = readPart(schema, input)
  const reserved = result.ok ? findReservedKey(input) : undefined
  if (!reserved) return result
  const message = 'expected another name; this one is reserved'
  return { ok: false, problems: [problem(reserved, true, message)] }
}

/**
 * Parses a value by a schema and fills in defaults. Returns its problems if it is not valid.
 *
 * @param hides - Whether the value at a path may be secret. Messages then show only its type.
 */
export function readPart<T>(
  schema: z.ZodType<T>,
  input: unknown,
  hides: Checking['hides'] = () => false,
): { ok: true; value: T } | { ok: false; problems: PlacedProblem[] } {
  // Compiling a function for each schema takes longer than checking one scenario without it.
  const result = schema.safeParse(input, { reportInput: true, jitless: true })
  if (result.success) return { ok: true, value: result.data }
  return { ok: false, problems: problemsOf(result.error, { schema, input, hides }) }
}

type PlacedProblem = ScenarioProblem & { path: Path; onKey: boolean }

/**
 * Checks webhooks that are added to the webhooks of a scenario.
 *
 * @throws {ScenarioError} When they are not valid.
 */
export function checkWebhooks(input: WebhookPartsInput, present: WebhookParts): WebhookParts {
  const heading = 'The webhooks cannot be used:'
  const added = checkPart(webhookParts, input, heading)
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

/**
 * Returns the checked scenario, or its problems. In a problem, `path` is the place, and `onKey` says that the
 * key is wrong and not its value.
 *
 * @param parent - The scenario that it extends, if that is a file. Built-in scenarios are found by name.
 */
export function findProblems(input: unknown, parent?: Scenario): ScenarioCheck {
  const result = readWhole(scenarioSchema, input)
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

type Issue = z.core.$ZodIssue

interface Checking {
  schema: unknown
  input: unknown
  hides: (path: Path) => boolean
}

/** The most problems that are listed for one value. All items of a long list may have the same problem. */
const MOST_PROBLEMS = 100

function problemsOf(error: z.ZodError, checking: Checking) {
  const issues = error.issues.slice(0, MOST_PROBLEMS).flatMap(innermost)
  const hides = checking.schema === scenarioSchema && hasNames(checking.input)
  return issues.flatMap((issue) => {
    const problems = toProblems(issue, checking)
    // Zod compares the parts of a value only if each is right by itself.
    if (!hides || issue.code === 'custom') return problems
    return problems.map((each) => ({ ...each, hidesOthers: true as const }))
  })
}

/** Whether parts of a scenario are compared with each other: they name operations, faults, webhooks or secrets. */
function hasNames(input: unknown): boolean {
  const parts = ['faults', 'webhooks', 'automations', 'timeline'] as const
  return parts.some((part) => Object.hasOwn(Object(input), part))
}

/** For a union, returns the problems of the variant that matches furthest. They help the user most. */
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

function toProblems(issue: Issue, checking: Checking) {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(path, checking)
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => {
      const removed =
        checking.schema === scenarioSchema ? removedKeyText([...path, key]) : undefined
      if (removed !== undefined) return problem([...path, key], true, removed)
      const wrong = problem([...path, key], true, formatUnknownKey(key, known))
      return { ...wrong, ...choicesFor(key, known) }
    })
  }
  const value = valueAt(checking.input, path)
  const formatted = checking.hides(path) ? formatType(value) : formatValue(value)
  const wrong = problem(path, false, formatIssue(issue, { value, formatted }))
  // A suggestion would reveal a hidden value.
  const written = checking.hides(path) ? undefined : value
  return [{ ...wrong, ...choicesFor(written, allowedBy(issue) ?? []) }]
}

/** Says that a key of a scenario was removed. */
function removedKeyText(path: Path): string | undefined {
  const name = path.map((part) => (typeof part === 'number' ? '[]' : `.${part}`)).join('')
  return removedText(removedKeys, name.slice(1), formatValue(path.at(-1)))
}

/** What is allowed instead of a wrong value, and what is most similar to it. Empty if that is not known. */
function choicesFor(
  written: unknown,
  allowed: readonly string[],
): Pick<ScenarioProblem, 'allowed' | 'nearest'> {
  if (allowed.length === 0) return {}
  const best = typeof written === 'string' ? nearest(written, allowed) : undefined
  return best === undefined ? { allowed } : { allowed, nearest: best }
}

function problem(path: Path, onKey: boolean, message: string): PlacedProblem {
  return { path, onKey, place: formatPath(path), message }
}

function formatUnknownKey(key: string, known: readonly string[]): string {
  const listed = known.length > 0 ? ` Known here: ${known.join(', ')}.` : ''
  return `unknown key ${formatValue(key)}${suggestion(key, known)}${listed}`
}

/** Formats the type of a value that may be secret. */
function formatType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return typeNames.array!
  return typeNames[typeof value] ?? typeof value
}

function formatIssue(
  issue: Issue,
  { value, formatted }: { value: unknown; formatted: string },
): string {
  const allowed = allowedBy(issue)
  const listed = allowed ? ` Allowed: ${allowed.join(', ')}.` : ''
  if (value === undefined) return listed === '' ? 'is missing' : `is missing.${listed}`
  if (allowed) {
    // A suggestion would reveal a hidden value, and another number is not a misspelling.
    const isSilent = formatted !== formatValue(value) || typeof value === 'number'
    const written = typeof value === 'string' ? value : formatted
    return `${formatted} is not allowed here${isSilent ? '.' : suggestion(written, allowed)}${listed}`
  }
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  // Our own complete sentences need no "got".
  if (issue.code === 'custom' && !isOurs(issue)) return issue.message
  return `${formatExpectation(issue)}, got ${formatted}`
}

function suggestion(written: string, known: readonly string[]): string {
  return `.${didYouMean(written, known)}`
}

/** Our own messages begin with it, unless they are complete sentences. Those of the library never do. */
function isOurs({ message }: Issue): boolean {
  return message.startsWith('expected')
}

/** Our own messages say what was expected. The messages of the library are replaced. */
function formatExpectation(issue: Issue): string {
  if (isOurs(issue)) return issue.message
  if (issue.code === 'invalid_type')
    return `expected ${typeNames[issue.expected] ?? issue.expected}`
  if (issue.code === 'too_small' && issue.origin !== 'number') return 'must not be empty'
  if (issue.code === 'too_small') {
    return `expected ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`
  }
  if (issue.code === 'too_big') return `expected at most ${issue.maximum}`
  const expected = issue.code === 'invalid_union' ? issue.errors.flatMap(formatVariant) : []
  const variants = [...new Set(expected)]
  return variants.length > 0 ? `expected ${variants.join(' or ')}` : issue.message
}

/** What a variant of a union expects. Nothing if it has no words, as a function has none: a file can't have it. */
function formatVariant([issue]: readonly Issue[]): string[] {
  if (issue?.code === 'invalid_value') return issue.values.map(String)
  const text = issue && formatExpectation(issue)
  return text?.startsWith('expected ') ? [text.slice('expected '.length)] : []
}

const typeNames: Readonly<Record<string, string>> = {
  object: 'a map of keys and values',
  record: 'a map of keys and values',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
}

const LONGEST_SHOWN = 80

function formatValue(value: unknown): string {
  // YAML has these numbers, JSON does not.
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (typeof value === 'function') return 'a function'
  const text = jsonOf(value)
  if (text === undefined) {
    return typeof value === 'bigint' || typeof value === 'symbol'
      ? String(value)
      : formatType(value)
  }
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

/** The JSON of a value. Undefined if JSON cannot write it, such as a bigint or an object that contains itself. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

function allowedBy(issue: Issue): string[] | undefined {
  if (issue.code === 'invalid_value') return issue.values.map(String)
  if (issue.code !== 'invalid_union') return undefined
  // A union with a discriminator. The type of the library does not have the options.
  const { options } = issue as { options?: string[] }
  if (options) return options
  const variants = issue.errors.flat().map(allowedBy)
  if (variants.every((values) => values !== undefined)) return variants.flat()
  // The other variants are lists or maps of the same values, or have a message of their own.
  const values = variants.flatMap((each) => each ?? [])
  return typeof issue.input === 'string' && !isOurs(issue) && values.length > 0 ? values : undefined
}

/** Returns the keys that the schema allows at a path, in all variants that the value can be. */
function knownKeys(path: Path, { schema: root, input }: Checking): string[] {
  let schemas = [root]
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
