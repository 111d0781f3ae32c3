import { withoutCredentials } from '../../base/text/redaction/credentials.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'

/** A URL without its credentials, and without secrets in its path or its query. */
export function shownUrl(url: string, webhooks: Webhooks): string {
  return webhooks.withoutSecrets(withoutCredentials(url))
}
