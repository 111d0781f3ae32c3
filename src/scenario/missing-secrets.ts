import type { WebhookParts } from './scenario.js'

/** The secrets that webhooks name and that have no value: what they sign goes out unsigned. */
export function missingSecrets({ secrets, webhooks }: WebhookParts): string[] {
  const named = webhooks.flatMap(({ secret, access_token, adversary }) => [
    secret,
    access_token,
    ...adversary.map((rule) => (rule.do === 'old_secret' ? rule.secret : undefined)),
  ])
  const missing = named.filter((name) => name !== undefined && !Object.hasOwn(secrets, name))
  return [...new Set(missing as string[])]
}

/** The same in words, with what there is to do; undefined where none is missing. */
export function missingText(missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined
  return `Secrets without a value: ${missing.join(', ')}. What they sign goes out unsigned until POST /_emulator/secrets, or webhooks.setSecret(), gives them one.`
}
