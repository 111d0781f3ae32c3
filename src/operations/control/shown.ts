import { withoutCredentials } from '../../contract/authority.js'
import type { FaultRule, Scenario } from '../../engine/scenario.js'
import { HIDDEN } from '../../webhooks/confidential.js'

/** A scenario as it may be shown: nobody learns a secret or an API key from it, reading needs neither. */
export function shownScenario(scenario: Scenario): Scenario {
  const { auth, secrets, webhooks, faults } = scenario
  return {
    ...scenario,
    auth: { ...auth, ...(auth.keys && { keys: withHiddenKeys(auth.keys) }) },
    secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, HIDDEN])),
    webhooks: webhooks.map(({ url, ...webhook }) => {
      return { ...webhook, ...(url !== undefined && { url: withoutCredentials(url) }) }
    }),
    faults: faults.map(shownFault),
  }
}

/** A fault may be about the calls of one key. */
export function shownFault(rule: FaultRule): FaultRule {
  const { match } = rule
  if (typeof match === 'function' || match.key === undefined) return rule
  return { ...rule, match: { ...match, key: HIDDEN } }
}

function withHiddenKeys<T>(keys: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.values(keys).map((account, index) => {
    return [`${HIDDEN} ${index + 1}`, account] as const
  })
  return Object.fromEntries(entries)
}
