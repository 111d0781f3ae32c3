import { Document, isCollection, isMap, Scalar, stringify, visit } from 'yaml'
import { findProblems } from './check-scenario.js'
import type { Scenario, ScenarioInput } from './scenario.js'

/** Formats a scenario as YAML, without default values. */
export function scenarioText(scenario: Scenario): string {
  // YAML has no functions. They become texts, with a tag that scenario files cannot use.
  const textOf = (_key: unknown, value: unknown): unknown => {
    if (typeof value !== 'function') return value
    const text = new Scalar(String(value))
    text.tag = '!function'
    return text
  }
  return stringify(withoutDefaults(scenario), textOf, { lineWidth: WIDTH })
}

const WIDTH = 100

/** Formats a scenario as YAML for people to read: short maps and lists are on one line. Functions are left out. */
export function compactScenarioText(scenario: ScenarioInput): string {
  const document = new Document(scenario)
  visit(document, {
    Collection(_key, node, ancestors) {
      // The scenario itself, and its lists, keep a line for each item.
      const depth = ancestors.filter(isCollection).length
      if (depth === 0 || (depth === 1 && !isMap(node))) return undefined
      const text = JSON.stringify(node.toJSON())
      if (text.length + 2 * depth > WIDTH + quotesIn(node)) return undefined
      node.flow = true
      return visit.SKIP
    },
  })
  return document.toString({ lineWidth: WIDTH })
}

/** How many characters shorter YAML is than JSON: names and most texts need no quotes. */
function quotesIn(node: unknown): number {
  let count = 0
  visit(node as Document, {
    Scalar: (_key, { value }) => void (isPlain(value) && (count += 2)),
  })
  return count
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' && /^\w[\w ./-]*$/.test(value)
}

/** Returns a copy of a scenario without the values that the schema fills in again. */
export function withoutDefaults(scenario: Scenario): ScenarioInput {
  const copy: ScenarioInput = copyOf(scenario)
  const { name } = scenario
  const defaults: Partial<Scenario> = checked({ name }) ?? {}
  let left = MOST_CHECKED
  /** Returns whether an input still has the result of now, each time that it is asked. */
  const sameness = (input: ScenarioInput): (() => boolean) | undefined => {
    const size = sizeOf(input)
    const before = checked(input)
    return before && (() => (left -= size) > 0 && isEqual(checked(input), before))
  }
  const isSame = sameness(copy) ?? ((): boolean => false)
  for (const [key, part] of Object.entries(copy) as [keyof Scenario, unknown][]) {
    if (key === 'name') continue
    if (key in defaults && isEqual(part, defaults[key])) {
      delete copy[key]
      continue
    }
    // Alone, it is checked in a fraction of the time, unless it names something outside.
    if (!Array.isArray(part)) prune(part, sameness({ name, [key]: part }) ?? isSame)
    else for (const item of part) prune(item, sameness({ name, [key]: [item] }) ?? isSame)
  }
  return isEqual(checked(copy), scenario) ? copy : copyOf(scenario)
}

/** Returns what an input becomes, or undefined if it cannot be used. */
function checked(input: ScenarioInput): Scenario | undefined {
  const found = findProblems(input)
  return found.ok ? found.scenario : undefined
}

/** The most values that are checked. To remove one field takes a check of what it is part of. */
const MOST_CHECKED = 200_000

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, part) => sum + sizeOf(part), 1)
}

/** Copies a scenario. Keeps functions, which `structuredClone` refuses. */
function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, copyOf(part as unknown)])
  return Object.fromEntries(entries) as T
}

/** Whether two scenarios are equal. They consist of records, lists and values without parts. */
function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return Object.is(one, other)
  }
  const keys = Object.keys(one)
  if (Array.isArray(one) !== Array.isArray(other)) return false
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => {
    if (!Object.hasOwn(other, key)) return false
    return isEqual((one as Record<string, unknown>)[key], (other as Record<string, unknown>)[key])
  })
}

function prune(value: unknown, isSame: () => boolean): void {
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  for (const [key, part] of Object.entries(record)) {
    if (!Array.isArray(value)) {
      delete record[key]
      if (isSame()) continue
      // Every key that stays is added again in turn, so the order of keys does not change.
      record[key] = part
    }
    prune(part, isSame)
  }
}
