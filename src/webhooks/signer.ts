import { standardHeaders } from '../signature/standard-headers.js'
import type { WebhookRule } from '../scenario/scenario.js'
import { milliseconds } from '../text/duration.js'
import { cancelTimer, startTimer, wallNow, wallSince } from '../clock/wall.js'
import { networkError } from '../text/network-error.js'
import type { Credentials } from './payload.js'
import type { Send } from './send.js'
import { hmacKey, signWith } from '../signature/signature.js'

export interface Signed {
  readonly webhook: WebhookRule
  readonly credentials: Credentials
  /** The id of the delivery, for receivers that want one. */
  readonly id: string
  /** What is signed. */
  readonly body: Uint8Array
  /** Milliseconds since the epoch, on the emulator's clock. */
  readonly at: number
}

/** Signs deliveries. Secrets are few, so their keys are kept. */
export class Signer {
  readonly #keys = new Map<string, Promise<CryptoKey>>()

  /** All headers of one attempt. Without a secret, none says that it is signed. */
  async headersOf({ webhook, credentials, id, body, at }: Signed): Promise<Record<string, string>> {
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

  #key(secret: string): Promise<CryptoKey> {
    let key = this.#keys.get(secret)
    if (!key) this.#keys.set(secret, (key = hmacKey(secret)))
    return key
  }
}

export interface Sent {
  /** Milliseconds of real time. */
  readonly took: number
  readonly status?: number
  readonly answer?: string
  readonly error?: string
}

/** Sends once. A redirect is a failure: what was signed is meant for one address alone. */
export async function sendOnce(
  send: Send,
  outgoing: { url: string; headers: Record<string, string>; body: Uint8Array },
  { timeout, abort }: { timeout: string; abort: AbortController },
): Promise<Sent> {
  const start = wallNow()
  const late = new Error(`no answer within ${timeout}`)
  const timer = startTimer(milliseconds(timeout), () => abort.abort(late))
  try {
    const { status, body } = await send({ ...outgoing, signal: abort.signal })
    const answered = { took: wallSince(start), status, answer: body }
    if (status >= 200 && status < 300) return answered
    const redirect = status === 0 || (status >= 300 && status < 400)
    const error = redirect
      ? `redirected with ${status}, which is not followed`
      : `answered ${status}`
    return { ...answered, error }
  } catch (error) {
    const told = abort.signal.aborted ? (abort.signal.reason as unknown) : error
    return { took: wallSince(start), error: networkError(told) }
  } finally {
    cancelTimer(timer)
  }
}
