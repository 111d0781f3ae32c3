import { withoutCredentials } from '../text/authority.js'
import type { FaultRule, Scenario, WebhookRule } from './scenario.js'
import { HIDDEN } from '../text/redact.js'

/** Returns a copy of a scenario without secrets and API keys, to show it to people. */
export function shownScenario(scenario: Scenario): Scenario {
  const { auth, secrets, webhooks, faults, sft } = scenario
  const files = Object.entries(sft.files).map(([url, file]) => [withoutCredentials(url), file])
  return {
    ...scenario,
    auth: { ...auth, ...(auth.keys && { keys: withHiddenKeys(auth.keys) }) },
    secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, HIDDEN])),
    sft: { ...sft, files: Object.fromEntries(files) as Record<string, string> },
    webhooks: webhooks.map(shownWebhook),
    faults: faults.map(shownFault),
  }
}

/** Returns a copy of a webhook without the user and password in its URL. */
export function shownWebhook(rule: WebhookRule): WebhookRule {
  return rule.url === undefined ? rule : { ...rule, url: withoutCredentials(rule.url) }
}

/** Returns a copy of a fault without the API key that its `match` may have. */
export function shownFault(rule: FaultRule): FaultRule {
  const { match } = rule
  if (typeof match === 'function') return rule
  const { key, headers } = match
  const redacted = {
    ...(key !== undefined && { key: HIDDEN }),
    ...(headers?.authorization !== undefined && {
      headers: { ...headers, authorization: HIDDEN },
    }),
  }
  return Object.keys(redacted).length === 0 ? rule : { ...rule, match: { ...match, ...redacted } }
}

function withHiddenKeys<T>(keys: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.values(keys).map((account, index) => {
    return [`${HIDDEN} ${index + 1}`, account] as const
  })
  return Object.fromEntries(entries)
}
