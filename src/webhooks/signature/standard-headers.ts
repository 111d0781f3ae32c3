import { isStandardSecret } from '../../base/text/webhook-secret.js'

interface StandardInput {
  secret: string
  id: string
  body: Uint8Array
  moment: Date
}

/** Signs in the scheme of Standard Webhooks, with its own library. */
export async function standardHeaders({
  secret,
  id,
  body,
  moment,
}: StandardInput): Promise<Record<string, string>> {
  const { Webhook } = await import('./standard-webhook.js')
  const bytes = secret === '' ? new Uint8Array(1) : new TextEncoder().encode(secret)
  // Any other text is the key itself.
  const signer = isStandardSecret(secret)
    ? new Webhook(secret)
    : new Webhook(bytes, { format: 'raw' })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(moment.getTime() / 1000)),
    'webhook-signature': signer.sign(id, moment, new TextDecoder().decode(body)),
  }
}
