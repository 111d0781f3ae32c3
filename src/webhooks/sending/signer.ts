import { standardHeaders } from '../signature/standard-headers.js'
import type { WebhookRule } from '../../service/scenario/scenario.js'
import { wallNow } from '../../base/clock/wall.js'
import type { Credentials } from './payload.js'
import { hmacKey, signWith } from '../signature/signature.js'

export interface SignerInput {
  readonly webhook: WebhookRule
  readonly credentials: Credentials
  /** The id of the delivery, for receivers that want one. */
  readonly id: string
  /** The bytes to sign. */
  readonly body: Uint8Array
  /** Milliseconds since the epoch, on the emulator's clock. */
  readonly at: number
}

/** Signs deliveries. There are few secrets, so it keeps their keys. */
export class Signer {
  readonly #keys = new Map<string, Promise<CryptoKey>>()

  /** Returns all headers of one attempt. Without a secret, none of them is a signature. */
  async headersOf(input: SignerInput): Promise<Record<string, string>> {
    const { webhook, credentials, id, body, at } = input
    const { accessToken, secret } = credentials
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'User-Agent': 'svtrain-emulator',
    }
    if (accessToken !== undefined) headers.Authorization = `Bearer ${accessToken}`
    if (secret === undefined) return headers
    const { header, encoding, prefix, standard, timestamps } = webhook.signature
    headers[header] = await signWith(await this.#key(secret), body, { encoding, prefix })
    if (!standard) return headers
    const moment = new Date(timestamps === 'wall' ? wallNow() : at)
    return { ...headers, ...(await standardHeaders({ secret, id, body, moment })) }
  }

  async #key(secret: string): Promise<CryptoKey> {
    let key = this.#keys.get(secret)
    if (!key) this.#keys.set(secret, (key = hmacKey(secret)))
    try {
      return await key
    } catch (error) {
      // The next attempt tries again.
      this.#keys.delete(secret)
      throw error
    }
  }
}
