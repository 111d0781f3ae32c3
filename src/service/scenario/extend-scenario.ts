import { valueAt } from '../../base/text/value-at.js'
import type { Path } from './part-problems.js'
import type { Scenario, ScenarioInput } from './scenario.js'

type Fields = Readonly<Record<string, unknown>>
type ListWithNames = readonly { readonly name?: string | undefined }[]

/** How a part of the child is merged with that of its parent, if both have it. */
const mergers = {
  /** The child decides. */
  replace: (_parent: unknown, child: unknown) => child,
  /** Maps. Keys that the child does not have come from the parent. */
  keys: (parent: Fields, child: Fields) => ({ ...parent, ...child }),
  /** Rules. Those of the child come first, because the first one that matches applies. */
  before: (parent: readonly unknown[], child: readonly unknown[]) => [...child, ...parent],
  /** Lists. Those of the child follow those of the parent. */
  after: (parent: readonly unknown[], child: readonly unknown[]) => [...parent, ...child],
  /** Lists with names. Those of the child replace those of the parent with the same name. */
  byName: (parent: ListWithNames, child: ListWithNames) => {
    const names = child.map(({ name }) => name)
    return [...parent.filter(({ name }) => !names.includes(name)), ...child]
  },
  /** A map with rules. */
  chat: (parent: Scenario['chat'], child: NonNullable<ScenarioInput['chat']>) => {
    return { ...parent, ...child, rules: [...(child.rules ?? []), ...parent.rules] }
  },
}

const mergerOf: Readonly<Record<keyof Scenario, keyof typeof mergers>> = {
  $schema: 'replace',
  artifactScheme: 'replace',
  auth: 'keys',
  automation_limits: 'keys',
  automations: 'byName',
  base_models: 'replace',
  chat: 'chat',
  checks: 'keys',
  clock: 'keys',
  description: 'replace',
  extends: 'replace',
  faults: 'before',
  framework: 'replace',
  jobs: 'before',
  message_arrays: 'replace',
  models: 'after',
  name: 'replace',
  play: 'keys',
  rl: 'keys',
  secrets: 'keys',
  seed: 'replace',
  sft: 'keys',
  system_check: 'keys',
  timeline: 'after',
  webhooks: 'byName',
}

/** The place in the child of what is wrong in the merged scenario: the items of some lists follow those of the parent. */
export function ownPath(path: Path, merged: ScenarioInput, child: ScenarioInput): Path {
  const [key = '', index, ...rest] = path
  const [all, own] = [valueAt(merged, [key]), valueAt(child, [key])]
  const isBehind = BEHIND.includes(valueAt(mergerOf, [key]))
  if (!isBehind || typeof index !== 'number' || !Array.isArray(all) || !Array.isArray(own)) {
    return path
  }
  const before = all.length - own.length
  return index < before ? [key] : [key, index - before, ...rest]
}

const BEHIND: readonly unknown[] = ['after', 'byName'] satisfies (keyof typeof mergers)[]

/** Merges a scenario with the one that it extends. */
export function extendScenario(parent: Scenario, child: ScenarioInput): ScenarioInput {
  const { extends: _, ...own } = child
  const keys = Object.keys(mergerOf) as (keyof Scenario)[]
  const merged = keys.map((key) => {
    const [before, after] = [parent[key], (own as Fields)[key]]
    if (before === undefined || after === undefined) return [key, after ?? before]
    const merge = mergers[mergerOf[key]] as (parent: unknown, child: unknown) => unknown
    return [key, merge(before, after)]
  })
  return { ...Object.fromEntries(merged), description: own.description ?? '' } as ScenarioInput
}
