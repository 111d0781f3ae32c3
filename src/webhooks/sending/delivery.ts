import { toIso } from '../../base/text/iso.js'
import { showAs } from '../../base/text/show-as.js'
import type { Plan } from './adversary.js'
import type { WebhookEvent } from './event.js'
import type { Tampering, ToDo } from './saved-webhooks-schema.js'

/** The response of a receiver, or why there was none. */
export interface AttemptResult {
  /** Milliseconds of real time until the response, or until the call failed. */
  readonly took: number
  /** The status of the response; undefined if there was none. */
  readonly status?: number | undefined
  /** The beginning of the response body. */
  readonly answer?: string | undefined
  /** Why the call failed: the error of the network, or what was wrong with the response. */
  readonly error?: string | undefined
}

/** One time that a delivery was sent. */
export interface Attempt extends AttemptResult {
  /** The number of the attempt, from 1 for each delivery. */
  readonly number: number
  /**
   * Which copy of the delivery it is, from 2, if it was sent again although no attempt had failed. Undefined for
   * the delivery itself.
   */
  readonly copy?: number | undefined
  /** Where it was sent, if its webhook has had another URL since the delivery was made. */
  readonly url?: string | undefined
  /** When it was sent, in milliseconds since the epoch, on the emulator's clock. */
  readonly at: number
  /** The headers that were sent. */
  readonly headers: Readonly<Record<string, string>>
  /** The bytes that were sent, if an adversary changed them. */
  readonly sent?: Uint8Array | undefined
}

/** `pending`: an attempt or a retry will follow. `cancelled`: the world or its webhook ended first. */
export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled'

type MadeOf = 'id' | 'automation' | 'webhook' | 'url' | 'event' | 'body' | 'plan' | 'ordinal'

/** What an automation sends to its webhook because of an event. Its bytes never change. */
export class Delivery {
  /** The id, the same for each attempt. */
  readonly id: string
  /** The name of the automation. */
  readonly automation: string
  /** The name of the webhook. */
  readonly webhook: string
  /** The URL that it is sent to. */
  readonly url: string
  /** The event that fired the automation. */
  readonly event: WebhookEvent
  /** The bytes of the payload. */
  readonly body: Uint8Array
  /** Every time that it was sent, oldest first. */
  readonly attempts: Attempt[] = []
  /**
   * How many attempts there were when its world was restored.
   *
   * @internal
   */
  attemptsBefore = 0
  #status: DeliveryStatus
  /**
   * What remains to be done: sends that are queued or wait for the clock.
   *
   * @internal
   */
  readonly toDo = new Set<ToDo>()
  /**
   * What an adversary does to it: when it is sent, how often, and with which changes.
   *
   * @internal
   */
  readonly plan: Plan
  /**
   * Counts the deliveries of its webhook, from 1.
   *
   * @internal
   */
  readonly ordinal: number

  constructor(made: Pick<Delivery, MadeOf> & Partial<Pick<Delivery, 'status'>>) {
    this.id = made.id
    this.automation = made.automation
    this.webhook = made.webhook
    this.url = made.url
    this.event = made.event
    this.body = made.body
    this.plan = made.plan
    this.ordinal = made.ordinal
    this.#status = made.status ?? 'pending'
    // Bodies, URLs and headers may have secrets.
    showAs(this, 'Delivery', () => {
      const { id, automation, webhook, event, status } = this
      const attempts = this.attempts.map(({ number, at, status: answered }) => {
        return { number, at: toIso(at), status: answered }
      })
      return { id, automation, webhook, event: event.type, status, attempts }
    })
  }

  /**
   * What an adversary changes about its bytes and its signature.
   *
   * @internal
   */
  get tampering(): Tampering {
    return this.plan.tampering
  }

  /** Whether it was delivered. */
  get status(): DeliveryStatus {
    return this.#status
  }

  /** The body as text. */
  get text(): string {
    return new TextDecoder().decode(this.body)
  }

  /**
   * Changes the status: nothing else does. What arrived stays delivered, whatever becomes of its copies. Only a
   * pending delivery is cancelled: one that failed stays failed.
   *
   * @internal
   */
  changeStatus(next: DeliveryStatus): void {
    if (this.#status === 'delivered') return
    if (next === 'cancelled' && this.#status !== 'pending') return
    this.#status = next
  }
}
