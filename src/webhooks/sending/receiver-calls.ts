import { cancelTimer, startTimer, wallNow, wallSince } from '../../base/clock/wall.js'
import { milliseconds } from '../../base/text/duration.js'
import { networkError } from '../../base/text/network-error.js'
import { sameBytes } from '../../base/text/same-bytes.js'
import type { ApiRequest } from '../../service/contract/exchange.js'
import type { DeliveryEntry } from '../../service/engine/journal-entry.js'
import type { WebhookRule } from '../../service/scenario/scenario.js'
import type { AttemptResult, Delivery } from './delivery.js'
import type { Answered, DeliveryRequest, Send } from './transport.js'
import { NO_ANSWER_WITHIN } from './why-failed.js'

/** An attempt that is under way to its receiver. */
export interface AttemptUnderWay {
  readonly entry: DeliveryEntry
  /** The delivery; the same object for each of its attempts. */
  readonly delivery: Delivery
  /** When its event happened, in milliseconds since the epoch. */
  readonly at: number
  readonly rule: WebhookRule
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Hands what is sent to a sink in this process. Without an attempt, it is a test of the webhook. */
export type HandOver = (
  request: DeliveryRequest,
  attempt: AttemptUnderWay | undefined,
) => Promise<Answered>

/** How deliveries reach their receivers. */
export interface Ways {
  /** Sends a request over the network. */
  readonly send: Send
  /** Returns how the receiver with that URL is reached in this process. Undefined: over the network. */
  readonly inside: (url: string) => HandOver | undefined
}

/** The calls to receivers that are under way. */
export class ReceiverCalls {
  readonly #ways: Ways
  readonly #underWay = new Set<AbortController>()
  /** The attempts on their way over the network that no receiver in this process has found yet. */
  readonly #onWire = new Set<AttemptUnderWay>()
  #stopped = false

  constructor(ways: Ways) {
    this.#ways = ways
  }

  /** Calls a receiver. A redirect is a failure: the signature is meant for one address alone. */
  async call(
    { timeout }: WebhookRule,
    { url, headers, body }: Omit<DeliveryRequest, 'signal'>,
    attempt?: AttemptUnderWay,
  ): Promise<AttemptResult> {
    // The world may end while the delivery is signed.
    if (this.#stopped) return { took: 0, error: WORLD_ENDED }
    const { send, inside } = this.#ways
    const abort = new AbortController()
    this.#underWay.add(abort)
    const start = wallNow()
    const late = new Error(NO_ANSWER_WITHIN + timeout)
    const timer = startTimer(milliseconds(timeout), () => abort.abort(late))
    try {
      const request = { url, headers, body, signal: abort.signal }
      const handOver = inside(url)
      if (attempt && !handOver) this.#onWire.add(attempt)
      const answering = handOver ? handOver(request, attempt) : send(request)
      const { status, body: answer } = await answering
      const answered = { took: wallSince(start), status, answer }
      if (status >= 200 && status < 300) return answered
      const redirect = status === 0 || (status >= 300 && status < 400)
      const error = redirect
        ? `redirected with ${status}, which is not followed`
        : `answered ${status}`
      return { ...answered, error }
    } catch (error) {
      const reason = abort.signal.aborted ? (abort.signal.reason as unknown) : error
      return { took: wallSince(start), error: networkError(reason) }
    } finally {
      cancelTimer(timer)
      this.#underWay.delete(abort)
      if (attempt) this.#onWire.delete(attempt)
    }
  }

  /** Returns the attempt that arrives over the network as this request; of equal ones, the first not yet arrived. */
  arriving(request: ApiRequest): AttemptUnderWay | undefined {
    for (const attempt of this.#onWire) {
      if (!isSame(attempt, request)) continue
      this.#onWire.delete(attempt)
      return attempt
    }
    return undefined
  }

  /** Ends all calls. What is called later is not sent. */
  stop(): void {
    this.#stopped = true
    for (const call of this.#underWay) call.abort(new Error(WORLD_ENDED))
  }
}

export const WORLD_ENDED = 'the world ended'

function isSame({ url, rule, headers, body }: AttemptUnderWay, request: ApiRequest): boolean {
  const { header } = rule.signature
  return (
    headers[header] === request.headers[header.toLowerCase()] &&
    new URL(url).pathname === request.path &&
    request.body !== 'too-large' &&
    sameBytes(body, request.body)
  )
}
