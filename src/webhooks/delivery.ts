import type { Tampering } from './adversary.js'
import type { WebhookEvent } from './event.js'

/** One time that a delivery was sent. */
export interface Attempt {
  /** Counts up from 1 within its delivery. */
  readonly number: number
  /** Milliseconds since the epoch, on the emulator's clock. */
  readonly at: number
  /** Milliseconds of real time until the answer, or until there was none. */
  readonly took: number
  readonly headers: Readonly<Record<string, string>>
  /** What left, where an adversary has changed it on the way. */
  readonly sent?: Uint8Array | undefined
  readonly status?: number | undefined
  /** The beginning of what was answered. */
  readonly answer?: string | undefined
  /** Why it failed: the error of the network, or what was wrong with the answer. */
  readonly error?: string | undefined
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed' | 'cancelled'

/** What is yet to be done with a delivery. */
export interface ToDo {
  /** How often it is to be sent. */
  readonly times: number
  /** When, in milliseconds since the epoch on the world's clock; undefined: it is queued or under way. */
  readonly at?: number | undefined
  /** Or earlier: when another delivery of its webhook goes, or one that tells a newer state. */
  readonly until?: 'next' | 'newer' | undefined
}

/** What an automation sends to its webhook because of an event. Its bytes never change. */
export class Delivery {
  readonly id: string
  readonly automation: string
  readonly webhook: string
  readonly url: string
  readonly event: WebhookEvent
  readonly body: Uint8Array
  readonly attempts: Attempt[] = []
  status: DeliveryStatus = 'pending'
  readonly toDo = new Set<ToDo>()
  /** What an adversary does to it on the way. */
  readonly tampering: Tampering
  /** Which of its webhook's deliveries it is, from 1. */
  readonly ordinal: number

  constructor(made: Pick<Delivery, MadeOf>) {
    this.id = made.id
    this.automation = made.automation
    this.webhook = made.webhook
    this.url = made.url
    this.event = made.event
    this.body = made.body
    this.tampering = made.tampering
    this.ordinal = made.ordinal
  }

  /** The body as text. */
  get text(): string {
    return new TextDecoder().decode(this.body)
  }
}

type MadeOf = 'id' | 'automation' | 'webhook' | 'url' | 'event' | 'body' | 'tampering' | 'ordinal'

/** As the service shows the history of an automation (contract facts, section 11.3). */
export interface Execution {
  /** In ISO 8601. */
  readonly timestamp: string
  readonly automation: string
  readonly event: string
  readonly status: 'Finished' | 'Failed' | 'Pending'
  readonly action: { readonly url: string; readonly payload: string }
  readonly response_status: number | null
  readonly error: string | null
}
