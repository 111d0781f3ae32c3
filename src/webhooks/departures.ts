import type { ApiRequest } from '../contract/exchange.js'
import type { DeliveryEntry } from '../engine/journal.js'
import type { WebhookRule } from '../scenario/scenario.js'
import type { Delivery } from './delivery.js'
import { sameBytes } from '../text/same-bytes.js'

/** An attempt that is on its way to its receiver. */
export interface Departure {
  readonly entry: DeliveryEntry
  /** What it delivers: the same object for each of its attempts. */
  readonly delivery: Delivery
  /** When the event was that it tells of, in milliseconds since the epoch. */
  readonly at: number
  readonly rule: WebhookRule
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** Lets a receiver in the same process know where a delivery comes from: nothing on the wire tells. */
export class Departures {
  readonly #underWay = new Set<Departure>()
  readonly #arrived = new WeakSet<Departure>()

  /** Knows of a departure for as long as its sending takes. */
  async during<T>(departure: Departure, send: () => Promise<T>): Promise<T> {
    this.#underWay.add(departure)
    try {
      return await send()
    } finally {
      this.#underWay.delete(departure)
    }
  }

  /** The one that arrives as this request; of twins, the first that has not arrived yet. */
  arriving(request: ApiRequest): Departure | undefined {
    for (const departure of this.#underWay) {
      if (this.#arrived.has(departure) || !isSame(departure, request)) continue
      this.#arrived.add(departure)
      return departure
    }
    return undefined
  }
}

function isSame({ url, rule, headers, body }: Departure, request: ApiRequest): boolean {
  const { header } = rule.signature
  return (
    headers[header] === request.headers[header.toLowerCase()] &&
    new URL(url).pathname === request.path &&
    request.body !== 'too-large' &&
    sameBytes(body, request.body)
  )
}
