import { isRecord } from '../contract/pydantic/record.js'
import type { ChatRule, Condition, FaultRule, Scenario, WebhookRule } from './scenario.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import { isSecretName } from '../../base/text/redaction/secret-names.js'

/** The keys of a scenario in which secrets and API keys may stand. */
export const CONFIDENTIAL_KEYS: readonly string[] = [
  'auth',
  'chat',
  'secrets',
  'webhooks',
  'automations',
  'faults',
  'sft',
] satisfies readonly (keyof Scenario)[]

/** Returns a copy of a scenario without secrets and API keys, to show it to people. */
export function shownScenario(scenario: Scenario): Scenario {
  const { auth, chat, secrets, webhooks, faults, sft } = scenario
  const files = Object.entries(sft.files).map(([url, file]) => [withoutCredentials(url), file])
  return {
    ...scenario,
    auth: { ...auth, ...(auth.keys && { keys: withHiddenKeys(auth.keys) }) },
    secrets: Object.fromEntries(Object.keys(secrets).map((name) => [name, HIDDEN])),
    sft: { ...sft, files: Object.fromEntries(files) as Record<string, string> },
    chat: { ...chat, rules: chat.rules.map(shownChatRule) },
    webhooks: webhooks.map(shownWebhook),
    faults: faults.map(shownFault),
  }
}

/**
 * Puts what `shownScenario` hid back into a text that the user edited: secrets and webhooks by name, keys and chat rules
 * by number, and faults by name or, without names, by number. What is not found stays as it is.
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
    const { rules } = isRecord(copy['chat']) ? copy['chat'] : {}
    for (const [index, { match }] of listOf(rules)) {
      const { match: before } = from.chat.rules[index] ?? {}
      if (typeof before === 'object') revealHeaders(match, before)
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
  const { key } = from.match
  if (match['key'] === HIDDEN && key !== undefined) match['key'] = key
  revealHeaders(match, from.match)
}

function revealHeaders(match: unknown, { headers = {} }: WithHeaders): void {
  if (!isRecord(match) || !isRecord(match['headers'])) return
  for (const [name, value] of Object.entries(headers)) {
    if (match['headers'][name] === HIDDEN) match['headers'][name] = value
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
  const shown = { ...(key !== undefined && { key: HIDDEN }), ...shownHeaders(headers) }
  return { ...rule, match: { ...match, ...shown } }
}

function shownChatRule(rule: ChatRule): ChatRule {
  const { match } = rule
  if (typeof match === 'function') return rule
  return { ...rule, match: { ...match, ...shownHeaders(match.headers) } }
}

/** The conditions on headers, without those of secret ones. */
function shownHeaders(headers: Conditions | undefined): { headers?: Conditions } {
  if (!headers) return {}
  const shown = Object.entries(headers).map(([name, value]) => {
    return [name, isSecretName(name, 'header') ? HIDDEN : value] as const
  })
  return { headers: Object.fromEntries(shown) }
}

type Conditions = Record<string, Condition>

/** What a rule matches. A function has no headers. */
interface WithHeaders {
  headers?: Conditions | undefined
}

function withHiddenKeys<T>(keys: Readonly<Record<string, T>>): Record<string, T> {
  const entries = Object.values(keys).map((account, index) => {
    return [`${HIDDEN} ${index + 1}`, account] as const
  })
  return Object.fromEntries(entries)
}
