import type { Redact } from '../../base/text/redaction/redact.js'
import type { Engine } from '../../service/engine/engine.js'
import type { WebhookRule } from '../../service/scenario/scenario.js'
import { outageAt, tampered } from './adversary.js'
import type { AttemptResult, Delivery } from './delivery.js'
import type { Credentials } from './payload.js'
import type { Tampering } from './saved-webhooks-schema.js'
import type { LiveWebhook } from './live-webhook.js'
import { Signer } from './signer.js'
import { DOWN, NOT_SENT } from './why-failed.js'

/** What is sent in one attempt. */
interface PreparedAttempt {
  readonly headers: Record<string, string>
  readonly body: Uint8Array
  /** Why nothing is sent. */
  readonly failure?: AttemptResult
}

export interface PreparationOptions {
  readonly engine: Engine
  /** Returns the current secrets of the webhook. */
  readonly credentialsOf: (webhook: WebhookRule) => Credentials
  readonly secretNamed: (name: string) => string | undefined
  /** Removes secrets from a text. */
  readonly redact: Redact
}

/** Makes what is sent: signed, and changed as an adversary says. */
export class Preparation {
  readonly #options: PreparationOptions
  readonly #signer = new Signer()

  constructor(options: PreparationOptions) {
    this.#options = options
  }

  /** Signs a delivery and changes it as its plan says. `failure` says why nothing is sent. */
  async of(
    { id, body, ordinal, tampering }: Delivery,
    { rule, disabled }: LiveWebhook,
    at: number,
  ): Promise<PreparedAttempt> {
    const { engine, credentialsOf } = this.#options
    if (disabled !== undefined) {
      return { headers: {}, body, failure: { took: 0, error: NOT_SENT + disabled } }
    }
    const down = outageAt(rule.adversary, { ordinal, since: at - engine.began })
    const { accessToken } = credentialsOf(rule)
    const credentials = { accessToken, secret: this.#secretFor(rule, tampering) }
    const sent = tampered(body, tampering)
    const signed = tampering.body === 'respelled' ? sent : body
    let headers: Record<string, string>
    try {
      headers = await this.#signer.headersOf({ webhook: rule, credentials, id, body: signed, at })
    } catch (error) {
      return { headers: {}, body, failure: this.#notSigned(error) }
    }
    if (!down) return { headers, body: sent }
    const { status } = down
    const why =
      status === undefined ? { error: REFUSED } : { status, error: `answered ${status}: ${DOWN}` }
    return { headers, body, failure: { took: 0, ...why } }
  }

  /** Returns the secret to sign with; undefined to send without a signature. */
  #secretFor(webhook: WebhookRule, { unsigned, secret: other }: Tampering): string | undefined {
    const { engine, credentialsOf, secretNamed } = this.#options
    const { secret } = credentialsOf(webhook)
    if (secret === undefined || unsigned) return undefined
    if (other === 'wrong') return engine.random.token(24, 'wrong secret', webhook.name)
    return other ? secretNamed(other.named) : secret
  }

  /** Signs other bytes than a delivery, with the credentials of the webhook. */
  async ofTest(
    webhook: WebhookRule,
    { id, body }: { id: string; body: Uint8Array },
  ): Promise<PreparedAttempt> {
    const { engine, credentialsOf } = this.#options
    const credentials = credentialsOf(webhook)
    const at = engine.clock.now()
    try {
      return { headers: await this.#signer.headersOf({ webhook, credentials, id, body, at }), body }
    } catch (error) {
      return { headers: {}, body, failure: this.#notSigned(error) }
    }
  }

  #notSigned(error: unknown): AttemptResult {
    const reason = error instanceof Error ? error.message : String(error)
    return { took: 0, error: `${NOT_SENT}signing failed: ${this.#options.redact(reason)}` }
  }
}

const REFUSED = `ECONNREFUSED: ${DOWN}`
