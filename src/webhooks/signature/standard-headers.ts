import { isStandardSecret } from '../../base/text/webhook-secret.js'
import { bytesOf } from './signature.js'

interface StandardInput {
  /** Bytes are the key itself. */
  secret: string | Uint8Array
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
  const signer =
    typeof secret === 'string' && isStandardSecret(secret)
      ? new Webhook(secret)
      : new Webhook(keyOf(secret), { format: 'raw' })
  return {
    ...stampHeaders({ id, moment }),
    'webhook-signature': signer.sign(id, moment, exactText.decode(body)),
  }
}

/** What Standard Webhooks signs besides the body. */
export function stampHeaders({
  id,
  moment,
}: Pick<StandardInput, 'id' | 'moment'>): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(moment.getTime() / 1000)),
  }
}

/** Any other text is the key itself. The library refuses an empty one, and one zero byte signs as it does. */
function keyOf(secret: string | Uint8Array): Uint8Array {
  return secret.length === 0 ? new Uint8Array(1) : bytesOf(secret)
}

/** A byte order mark is a part of what is signed. */
const exactText = new TextDecoder('utf-8', { ignoreBOM: true })
