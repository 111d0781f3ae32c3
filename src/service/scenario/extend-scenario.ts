import { LOCAL_ACCOUNT } from './account.js'
import type { Scenario, ScenarioInput } from './scenario.js'

/** Maps. Keys that the child does not have come from the parent. */
const MAPS = ['clock', 'auth', 'rl', 'sft', 'system_check', 'play', 'secrets'] as const

/** Rules. Those of the child come first, because the first one that matches applies. */
const RULES = ['jobs', 'faults'] as const

/** Lists. Those of the child follow those of the parent. */
const COLLECTIONS = ['models', 'timeline'] as const

/** Lists with names. Those of the child replace those of the parent with the same name. */
const NAMED = ['webhooks', 'automations'] as const

/** Merges a scenario with the one that it extends. */
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

/** Whether `extends` names a file. The names of built-in scenarios have no slash and no extension. */
export function namesFile(parent: string): boolean {
  return (
    parent.includes('/') || parent.includes('\\') || /\.(?:ya?ml|json|[cm]?[jt]s)$/i.test(parent)
  )
}

/** Returns a scenario with additional API keys. They belong to the local account. */
export function withKeys(scenario: Scenario, apiKeys: readonly string[]): Scenario {
  if (apiKeys.length === 0) return scenario
  const added = Object.fromEntries(apiKeys.map((key) => [key, LOCAL_ACCOUNT]))
  return { ...scenario, auth: { ...scenario.auth, keys: { ...added, ...scenario.auth.keys } } }
}

/** Returns a scenario in which an option decides whether any model name is answered. */
export function withAnyModel(scenario: Scenario, serveAnyModel: boolean | undefined): Scenario {
  if (serveAnyModel === undefined) return scenario
  return { ...scenario, chat: { ...scenario.chat, serve_any_model: serveAnyModel } }
}
