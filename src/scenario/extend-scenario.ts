import type { Scenario, ScenarioInput } from './scenario.js'

/** Merged key by key: what the child does not say is as the parent has it. */
const MAPS = ['clock', 'auth', 'sft', 'system_check', 'play', 'secrets'] as const

/** The child's come first, for the first that matches counts. */
const RULES = ['jobs', 'faults'] as const

/** All of them happen, or are there: the parent's, and then the child's. */
const COLLECTIONS = ['models', 'timeline'] as const

/** The child's stand for those of the parent that have the same name. */
const NAMED = ['webhooks', 'automations'] as const

/** A scenario that says what the child says, and besides what the parent does. */
export function extendScenario(parent: Scenario, child: ScenarioInput): ScenarioInput {
  const { extends: _, ...own } = child
  const merged: Record<string, unknown> = { ...parent, description: '', ...own }
  for (const key of MAPS) {
    if (parent[key] ?? child[key]) merged[key] = { ...parent[key], ...child[key] }
  }
  for (const key of RULES) merged[key] = [...(child[key] ?? []), ...parent[key]]
  const rules = [...(child.chat?.rules ?? []), ...parent.chat.rules]
  merged.chat = { ...parent.chat, ...child.chat, rules }
  for (const key of COLLECTIONS) merged[key] = [...parent[key], ...(child[key] ?? [])]
  for (const key of NAMED) {
    const added = child[key] ?? []
    const names = added.map(({ name }) => name)
    merged[key] = [...parent[key].filter(({ name }) => !names.includes(name)), ...added]
  }
  return merged as ScenarioInput
}

/** Whether a text names a file: a built-in scenario's name has no slash and no ending. */
export function namesFile(parent: string): boolean {
  return (
    parent.includes('/') || parent.includes('\\') || /\.(?:ya?ml|json|[cm]?[jt]s)$/i.test(parent)
  )
}
