import type { WebhookParts } from './scenario.js'

/** Returns the names of secrets that webhooks use but that have no value. */
export function missingSecrets({ secrets, webhooks }: WebhookParts): string[] {
  return secretNames(webhooks).filter((name) => !Object.hasOwn(secrets, name))
}

/** Returns the names of secrets that webhooks use, each once. */
export function secretNames(webhooks: WebhookParts['webhooks']): string[] {
  const names = webhooks.flatMap(({ secret, access_token, adversary }) => [
    secret,
    access_token,
    ...adversary.map((rule) => (rule.do === 'old_secret' ? rule.secret : undefined)),
  ])
  return [...new Set(names.filter((name) => name !== undefined))]
}

/** Says which secrets are missing and what to do. Undefined if all secrets have a value. */
export function missingText(missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined
  return `Secrets without a value: ${missing.join(', ')}. Deliveries are sent without them. Set them with POST /_emulator/secrets or webhooks.setSecret().`
}
