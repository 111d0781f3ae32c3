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
  const signer = isStandardSecret(secret)
    ? new Webhook(secret)
    : new Webhook(keyOf(secret), { format: 'raw' })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(moment.getTime() / 1000)),
    'webhook-signature': signer.sign(id, moment, exactText.decode(body)),
  }
}

/** Any other text is the key itself. The library refuses an empty one, and one zero byte signs as it does. */
function keyOf(secret: string): Uint8Array {
  return secret === '' ? new Uint8Array(1) : new TextEncoder().encode(secret)
}

/** A byte order mark is a part of what is signed. */
const exactText = new TextDecoder('utf-8', { ignoreBOM: true })
