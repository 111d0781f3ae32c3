import type { WebhookRule } from './scenario.js'

/** A webhook of which nothing is said but its name, with the defaults of the scenario. */
export const plainWebhook = {
  signature: {
    header: 'X-Service-Signature',
    encoding: 'hex',
    prefix: '',
    standard: false,
    timestamps: 'wall',
  },
  timeout: '10s',
  retries: [],
  adversary: [],
} satisfies Omit<WebhookRule, 'name'>
