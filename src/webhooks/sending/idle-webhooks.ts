import type { WebhookParts } from '../../service/scenario/scenario.js'
import type { Warnings } from '../../service/engine/warnings.js'

/** Warns of webhooks that get nothing, whatever happens. Who creates an emulator may still add what is missing. */
export function warnOfIdleWebhooks(
  warnings: Warnings,
  { webhooks, automations }: Pick<WebhookParts, 'webhooks' | 'automations'>,
): void {
  const called = new Set(automations.map(({ webhook }) => webhook))
  const reasons = webhooks.flatMap(({ name, url }) => {
    if (!called.has(name)) return `the webhook ${name} gets nothing, because no automation names it`
    if (url !== undefined) return []
    return `the webhook ${name} has no URL, so nothing is sent: set its url, or use --webhook, --sink, createSink() or the option webhooks`
  })
  if (reasons.length > 0) warnings.give('idle-webhooks', { reasons })
}
