import { LOCAL_ACCOUNT } from './account.js'
import type { Scenario } from './scenario.js'

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
