import { LatestItems } from '../../base/text/latest-items.js'
import { whole, type AllFields } from '../../service/engine/saved/complete.js'
import { NO_CHANGES, tampered, type Plan } from './adversary.js'
import type { WebhookEvent } from './event.js'
import type { SavedDelivery, Tampering, ToDo } from './saved-webhooks-schema.js'

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
  /** Whether it was delivered. */
  status: DeliveryStatus = 'pending'
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

  constructor(made: Pick<Delivery, MadeOf>) {
    this.id = made.id
    this.automation = made.automation
    this.webhook = made.webhook
    this.url = made.url
    this.event = made.event
    this.body = made.body
    this.plan = made.plan
    this.ordinal = made.ordinal
  }

  /**
   * What an adversary changes about its bytes and its signature.
   *
   * @internal
   */
  get tampering(): Tampering {
    return this.plan.tampering
  }

  /** The body as text. */
  get text(): string {
    return new TextDecoder().decode(this.body)
  }
}

/**
 * Changes the status of a delivery: nothing else does. What arrived stays delivered, whatever becomes of its copies. Only
 * a pending delivery is cancelled: one that failed stays failed.
 */
export function changeStatus(delivery: Delivery, next: DeliveryStatus): void {
  if (delivery.status === 'delivered') return
  if (next === 'cancelled' && delivery.status !== 'pending') return
  delivery.status = next
}

/** One run of an automation, in the form of the service's history. */
export interface Execution {
  /** When the event happened, in ISO 8601. */
  readonly timestamp: string
  /** The name of the automation. */
  readonly automation: string
  /** The type of the event, such as `RUN_STATE`. */
  readonly event: string
  /** `Finished` if the receiver acknowledged it, `Pending` while attempts follow, otherwise `Failed`. */
  readonly status: 'Finished' | 'Failed' | 'Pending'
  /** What was sent, and where. */
  readonly action: { readonly url: string; readonly payload: string }
  /** The status of the latest attempt; null if there was no response. */
  readonly response_status: number | null
  /** Why the latest attempt failed; null if it did not. */
  readonly error: string | null
}

/** How many deliveries are remembered, and how many bytes their bodies may have together. */
const CAPACITY = 20_000
const MOST_BYTES = 128 * 1024 * 1024

/** The latest deliveries of a world, in order and by id. */
export class Deliveries {
  readonly #byId = new Map<string, Delivery>()
  readonly #latest = new LatestItems<Delivery>(CAPACITY, {
    most: MOST_BYTES,
    bytesOf: ({ body }) => body.length,
  })

  /** Oldest first. */
  get all(): readonly Delivery[] {
    return this.#latest.all
  }

  get size(): number {
    return this.#latest.size
  }

  get(id: string): Delivery | undefined {
    return this.#byId.get(id)
  }

  /** @returns The oldest deliveries, if they are forgotten to make room. */
  add(delivery: Delivery): Delivery[] {
    this.#byId.set(delivery.id, delivery)
    const forgotten = this.#latest.add(delivery)
    for (const { id } of forgotten) this.#byId.delete(id)
    return forgotten
  }
}

export function saveDelivery(delivery: Delivery): AllFields<SavedDelivery> {
  const { automation, webhook, url, tampering, ordinal, status, text: body } = delivery
  // The cause is an entry of the journal, which is not saved.
  const { cause: _cause, ...event } = delivery.event
  const attempts = delivery.attempts.map(({ sent, ...attempt }) => {
    return whole({ ...attempt, sent: sent ? (true as const) : undefined })
  })
  return {
    automation,
    webhook,
    url,
    event: whole(event),
    tampering: whole(tampering),
    ordinal,
    status,
    body,
    attempts,
    toDo: whole([...delivery.toDo]),
  }
}

/** Restores a delivery. Nothing is scheduled for it yet: see `Sender.resume`. */
export function restoreDelivery(id: string, saved: SavedDelivery): Delivery {
  const body = new TextEncoder().encode(saved.body)
  const plan = { ...NO_CHANGES, tampering: saved.tampering }
  const delivery = new Delivery({ ...saved, id, body, plan })
  delivery.status = saved.status
  for (const { sent, ...attempt } of saved.attempts) {
    delivery.attempts.push(sent ? { ...attempt, sent: tampered(body, saved.tampering) } : attempt)
  }
  delivery.attemptsBefore = delivery.attempts.length
  return delivery
}
