import { wallNow } from '../../base/clock/wall.js'
import { networkError } from '../../base/text/network-error.js'
import { secretsInUrl } from '../../base/text/redaction/credentials.js'
import { Redactor, type Redact } from '../../base/text/redaction/redact.js'
import { bytesOf, hmacKey, signWith, SIGNATURE_HEADER } from '../signature/signature.js'
import type { ExpectedSignature } from '../signature/signature-forms.js'
import { stampHeaders } from '../signature/standard-headers.js'
import type { Accepts } from './accepted-signature.js'
import type { Counting, EqualEvents } from './count-events.js'
import { TEST_HEADER, type BatteryOptions, type Trial } from './receiver-battery.js'
import { answerInOneLine, sendWith } from './transport.js'
import { TOO_LONG } from './why-failed.js'

export interface ReceiverCheck extends ExpectedSignature {
  readonly url: string
  /** Default: every variable, with the names of a test. */
  readonly payload?: BatteryOptions['payload'] | undefined
  /** How long a response may take, in milliseconds. Default: 10,000. */
  readonly within?: number | undefined
  /** Returns how often the receiver has acted. Without it, nobody knows whether it acts twice. */
  readonly count?: Counting['count']
  /** Makes events. Default: deliveries of the check, if each has an id. */
  readonly events?: EqualEvents | undefined
}

/** The answer to a delivery of a check, or why there was none. */
export type Answer =
  | { status: number; text: string; error?: undefined }
  | { status?: undefined; error: string }

/** Ends a search: every further call may take as long. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
}

/** Calls the receiver that is checked. */
export class ReceiverCaller {
  answered = 0
  /** Whether nothing listens any more where it has answered. */
  isGone = false
  /** In milliseconds. */
  slowest = 0
  readonly check: ReceiverCheck
  readonly #within: number
  readonly #redactor: Redactor
  /** Part of each id, so that a receiver that remembers ids accepts those of another run. */
  readonly run = Math.floor(wallNow())
  #searched = 0

  constructor(check: ReceiverCheck, within: number) {
    this.check = check
    this.#within = within
    const { secret, token = '', url } = check
    this.#redactor = new Redactor({ secrets: [secret, token, ...secretsInUrl(url)] })
  }

  async send(trial: Trial, delivery: string): Promise<Answer> {
    const headers = await this.#headersFor(trial, this.#idOf(delivery))
    return this.#post(headers, trial.sent ?? trial.signed)
  }

  /** Whether the receiver accepts a body with another signature. Rejects with `NoAnswerError`. */
  accepts(body: string): Accepts {
    return async (headers) => {
      const id = this.#idOf(`search-${this.#searched++}`)
      const signature = await headers({ id, moment: new Date(wallNow()) })
      const token = this.check.token ?? null
      const answer = await this.#post({ ...this.#common(token), ...signature }, body)
      if (answer.status === undefined) throw new NoAnswerError(answer.error)
      return answer.status >= 200 && answer.status < 300
    }
  }

  async #post(headers: Record<string, string>, body: string): Promise<Answer> {
    const start = wallNow()
    try {
      const { status, body: answer } = await sendWith(globalThis.fetch)({
        url: this.check.url,
        headers,
        body: new TextEncoder().encode(body),
        signal: AbortSignal.timeout(this.#within * 2),
      })
      this.answered++
      const redact: Redact = (said, about) => this.#redactor.redact(said, about)
      return { status, text: answerInOneLine(answer, redact) }
    } catch (error) {
      const reason = reasonOf(error as Error)
      this.isGone ||= this.answered > 0 && reason.includes('ECONNREFUSED')
      return { error: `no answer: ${reason}` }
    } finally {
      this.slowest = Math.max(this.slowest, wallNow() - start)
    }
  }

  #idOf(delivery: string): string {
    return `check-${this.run}-${delivery}`
  }

  async #headersFor(trial: Trial, id: string): Promise<Record<string, string>> {
    const { token = this.check.token ?? null } = trial
    return {
      ...this.#common(token),
      ...(this.check.standard === true
        ? await this.#standard(trial, id)
        : await this.#plain(trial)),
    }
  }

  #common(token: string | null): Record<string, string> {
    return {
      'content-type': 'application/json',
      'user-agent': 'svtrain-emulator',
      [TEST_HEADER.toLowerCase()]: 'true',
      // A receiver may close a connection after an error: a call on the same one would be lost.
      connection: 'close',
      ...(token !== null && { authorization: `Bearer ${token}` }),
    }
  }

  async #plain({ signed, signature, secret = this.check.secret }: Trial) {
    const { header = SIGNATURE_HEADER, encoding, prefix } = this.check
    if (signature !== undefined) return { [header]: latin1(signature) }
    if (secret === null) return {}
    // Also with the empty key, which no receiver may accept.
    const key = await hmacKey(secret)
    return { [header]: await signWith(key, bytesOf(signed), { encoding, prefix }) }
  }

  async #standard(trial: Trial, id: string): Promise<Record<string, string>> {
    const { signed, signature, secret = this.check.secret, age = 0 } = trial
    const time = new Date(wallNow() - age)
    const named = stampHeaders({ id, moment: time })
    if (signature !== undefined) return { ...named, 'webhook-signature': latin1(signature) }
    if (secret === null) return named
    const { Webhook } = await import('../signature/standard-webhook.js')
    return { ...named, 'webhook-signature': new Webhook(secret).sign(id, time, signed) }
  }
}

/** Headers hold bytes; fetch takes them as Latin-1. */
function latin1(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

function reasonOf(error: Error): string {
  return error.name === 'TimeoutError' ? TOO_LONG : networkError(error)
}
