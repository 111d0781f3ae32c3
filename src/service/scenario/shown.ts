import { isRecord } from '../contract/pydantic/record.js'
import type { FaultRule, Scenario, WebhookRule } from './scenario.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'

/** The keys of a scenario in which secrets and API keys may stand. */
export const CONFIDENTIAL_KEYS: readonly string[] = [
  'auth',
  'secrets',
  'webhooks',
  'automations',
  'faults',
  'sft',
] satisfies readonly (keyof Scenario)[]

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

/**
 * Puts what `shownScenario` hid back into a text that the user edited: secrets and webhooks by name, keys by
 * number, and faults by name or, without names, by number. What is not found stays as it is.
 */
export function revealed(input: unknown, from: Scenario): unknown {
  const copy = structuredClone(input)
  if (isRecord(copy)) {
    if (isRecord(copy['secrets'])) copy['secrets'] = revealedSecrets(copy['secrets'], from)
    if (isRecord(copy['auth']) && isRecord(copy['auth']['keys'])) {
      copy['auth']['keys'] = revealedKeys(copy['auth']['keys'], Object.keys(from.auth.keys ?? {}))
    }
    if (isRecord(copy['sft']) && isRecord(copy['sft']['files'])) {
      copy['sft']['files'] = revealedUrls(copy['sft']['files'], Object.keys(from.sft.files))
    }
    for (const [index, each] of listOf(copy['faults'])) {
      const same = ({ name }: FaultRule): boolean => name !== undefined && name === each['name']
      revealFault(each, from.faults.find(same) ?? from.faults[index])
    }
    for (const [, each] of listOf(copy['webhooks'])) {
      const { url } = from.webhooks.find(({ name }) => name === each['name']) ?? {}
      if (url !== undefined && each['url'] === withoutCredentials(url)) each['url'] = url
    }
  }
  return copy
}

type Map = Record<string, unknown>

function listOf(value: unknown): [index: number, item: Map][] {
  if (!Array.isArray(value)) return []
  return [...value.entries()].filter((each): each is [number, Map] => isRecord(each[1]))
}

function revealedSecrets(secrets: Map, from: Scenario): Map {
  const entries = Object.entries(secrets).map(([name, value]) => [
    name,
    value === HIDDEN && Object.hasOwn(from.secrets, name) ? from.secrets[name] : value,
  ])
  return Object.fromEntries(entries) as Map
}

function revealedKeys(keys: Map, from: readonly string[]): Map {
  const entries = Object.entries(keys).map(([key, account]) => {
    const number = key.startsWith(`${HIDDEN} `) ? Number(key.slice(HIDDEN.length)) : 0
    return [from[number - 1] ?? key, account]
  })
  return Object.fromEntries(entries) as Map
}

function revealedUrls(files: Map, from: readonly string[]): Map {
  const entries = Object.entries(files).map(([url, file]) => [
    from.find((each) => withoutCredentials(each) === url) ?? url,
    file,
  ])
  return Object.fromEntries(entries) as Map
}

function revealFault({ match }: Map, from: FaultRule | undefined): void {
  if (!isRecord(match) || typeof from?.match !== 'object') return
  const { key, headers } = from.match
  if (match['key'] === HIDDEN && key !== undefined) match['key'] = key
  const written = match['headers']
  if (!isRecord(written)) return
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (written[name] === HIDDEN) written[name] = value
  }
}

/** Returns a copy of a webhook without the user and password in its URL. */
export function shownWebhook(rule: WebhookRule): WebhookRule {
  return rule.url === undefined ? rule : { ...rule, url: withoutCredentials(rule.url) }
}

/** Returns a copy of a fault without the API key and the secret headers that its `match` may have. */
export function shownFault(rule: FaultRule): FaultRule {
  const { match } = rule
  if (typeof match === 'function') return rule
  const { key, headers } = match
  const secret = Object.keys(headers ?? {}).filter((name) => isSecretName(name, 'header'))
  if (key === undefined && secret.length === 0) return rule
  const redacted = {
    ...(key !== undefined && { key: HIDDEN }),
    ...(headers && {
      headers: { ...headers, ...Object.fromEntries(secret.map((name) => [name, HIDDEN])) },
    }),
  }
  return { ...rule, match: { ...match, ...redacted } }
}

function withHiddenKeys<T>(keys: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.values(keys).map((account, index) => {
    return [`${HIDDEN} ${index + 1}`, account] as const
  })
  return Object.fromEntries(entries)
}
