import type { WebhookRule } from '../../service/scenario/scenario.js'

/** A webhook and its state. */
export interface LiveWebhook {
  readonly rule: WebhookRule
  /** Why it is disabled; undefined if it is not. */
  disabled?: string | undefined
  /** How many deliveries were made for it. */
  count: number
}
