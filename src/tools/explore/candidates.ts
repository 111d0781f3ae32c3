import { milliseconds, parseDuration } from '../../base/text/duration.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { withoutNotes } from './plain-scenario.js'
import { compareSizes, isSmaller, sizeOf } from './scenario-size.js'

type Path = readonly (string | number)[]

/** Scenarios that may be all that matters: one fault alone, or one other part alone. */
export function guessesFor(scenario: ScenarioInput): ScenarioInput[] {
  const { name, faults = [], webhooks, automations, ...parts } = withoutNotes(scenario)
  const guesses: ScenarioInput[] = faults.map((fault) => ({ name, faults: [fault] }))
  if (webhooks) {
    guesses.push({ name, webhooks })
    if (automations) guesses.push({ name, webhooks, automations })
  }
  for (const [key, part] of Object.entries(parts)) {
    // A part that does nothing by itself, such as a clock, is left out.
    if (key !== 'jobs' && key !== 'chat' && key !== 'rl' && key !== 'timeline') continue
    guesses.push({ name, [key]: part })
  }
  return guesses.sort((one, other) => compareSizes(sizeOf(one), sizeOf(other)))
}

/**
 * Returns scenarios that are a step simpler: the largest steps first, and each smaller than the scenario. They
 * may be invalid.
 */
export function candidatesFor(scenario: ScenarioInput): ScenarioInput[] {
  const size = sizeOf(scenario)
  const found: ScenarioInput[] = []
  const { name: _, ...parts } = scenario
  const all = partsOf(parts)
  // Which calls comes first. Otherwise a fault on every second call of one operation may become a fault on every
  // second call of any operation.
  for (const [path, value] of all) {
    if (!isCalls(path.at(-1))) continue
    found.push(...simplerForms(path, value).map((form) => changed(scenario, path, form)))
  }
  for (const [path, value] of all) {
    found.push(...chunksOf(value).map((chunk) => changed(scenario, path, chunk)))
    found.push(changed(scenario, path, REMOVED))
    if (isCalls(path.at(-1))) continue
    found.push(...simplerForms(path, value).map((form) => changed(scenario, path, form)))
  }
  return found.filter((candidate) => isSmaller(sizeOf(candidate), size))
}

/** All parts with their paths, breadth first. */
function partsOf(root: unknown): [path: Path, value: unknown][] {
  const found: [Path, unknown][] = []
  let level: [Path, unknown][] = [[[], root]]
  while (level.length > 0) {
    const next: [Path, unknown][] = []
    for (const [path, value] of level) {
      if (path.length > 0) found.push([path, value])
      if (typeof value !== 'object' || value === null) continue
      for (const [key, part] of Object.entries(value)) {
        next.push([[...path, Array.isArray(value) ? Number(key) : key], part])
      }
    }
    level = next
  }
  return found
}

/** The halves of a list. Single items have paths of their own. */
function chunksOf(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length < 3) return []
  const half = value.length >> 1
  return [value.slice(0, half), value.slice(half)]
}

/** Keys whose numbers name something, or are data. Other whole numbers count something, so a smaller one is simpler. */
const NAMES = new Set(['status', 'step', 'steps', 'metrics', 'set', 'body', 'metadata', 'data'])

function isCalls(key: string | number | undefined): boolean {
  return key === 'calls' || key === 'deliveries'
}

function simplerForms(path: Path, value: unknown): unknown[] {
  const key = path.findLast((part) => typeof part === 'string')
  if (Array.isArray(value)) {
    const isScalarList = key === 'calls' || key === 'operation' || key === 'per' || key === 'remove'
    return isScalarList ? (value as unknown[]) : []
  }
  if (isCalls(key) && isRange(value)) {
    return [...new Set([1, value.from ?? value.every ?? 1])]
  }
  if (typeof value === 'number') {
    const isCount = Number.isInteger(value) && !path.some((part) => NAMES.has(String(part)))
    return isCount && value > 1 ? [...new Set([1, value >> 1, value - 1])] : []
  }
  if (typeof value !== 'string' || parseDuration(value) === undefined) return []
  return milliseconds(value) > 1000 ? ['1s'] : []
}

function isRange(value: unknown): value is { from?: number; to?: number; every?: number } {
  return typeof value === 'object' && value !== null
}

const REMOVED = Symbol('removed')

/** Returns a copy in which the part at the path is another one. */
function changed(scenario: ScenarioInput, path: Path, form: unknown): ScenarioInput {
  return withPart(scenario, path, form) as ScenarioInput
}

function withPart(value: unknown, [key, ...rest]: Path, form: unknown): unknown {
  if (key === undefined) return form
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, index) => {
      if (index !== key) return [item]
      const part = withPart(item, rest, form)
      return part === REMOVED ? [] : [part]
    })
  }
  const entries = Object.entries(value as object).flatMap(([name, item]): [string, unknown][] => {
    if (name !== key) return [[name, item]]
    const part = withPart(item, rest, form)
    return part === REMOVED ? [] : [[name, part]]
  })
  // `probability` decides which calls; without it, explicit calls take its place.
  const copy = Object.fromEntries(entries)
  if (key === 'probability' && rest.length === 0 && form === REMOVED) copy['calls'] ??= 1
  return copy
}
