import { LOCAL_ACCOUNT } from './account.js'
import type { Scenario } from './scenario.js'

/** Adds API keys to those of a scenario. */
export function withKeys(scenario: Scenario, apiKeys: readonly string[]): Scenario {
  if (apiKeys.length === 0) return scenario
  const added = Object.fromEntries(apiKeys.map((key) => [key, LOCAL_ACCOUNT]))
  return { ...scenario, auth: { ...scenario.auth, keys: { ...added, ...scenario.auth.keys } } }
}
