import type { Delivery } from './delivery.js'
import type { WebhookEvent } from './event.js'

interface DelayedEvent {
  readonly event: WebhookEvent
  readonly resolve: (deliveries: Delivery[]) => void
  readonly reject: (error: unknown) => void
}

/** Makes the deliveries of events: at once, or in their order when what they need is loaded. */
export class DelayedEvents {
  readonly #fire: (event: WebhookEvent) => Delivery[]
  #delayed: DelayedEvent[] = []
  #loading: Promise<void> | undefined

  constructor(fire: (event: WebhookEvent) => Delivery[]) {
    this.#fire = fire
  }

  /** How many events wait. */
  get size(): number {
    return this.#delayed.length
  }

  get areDelayed(): boolean {
    return this.#loading !== undefined
  }

  /** Resolves when what is being loaded is there, or has failed. */
  get loaded(): Promise<void> | undefined {
    return this.#loading
  }

  /** Delays events until something is loaded. Of two loads at once, the later one has all that is needed. */
  delayUntil(needed: Promise<void>): void {
    const loading: Promise<void> = needed.then(
      () => this.#continue(loading, this.#fire),
      (error: unknown) => {
        this.#continue(loading, () => {
          throw error
        })
      },
    )
    this.#loading = loading
  }

  /** Resolves to the deliveries of an event when they are queued. */
  hear(event: WebhookEvent): Promise<Delivery[]> {
    if (!this.#loading) return Promise.resolve(this.#fire(event))
    return new Promise((resolve, reject) => this.#delayed.push({ event, resolve, reject }))
  }

  /** No delivery is made of the events that wait. */
  drop(): void {
    for (const { resolve } of this.#delayed) resolve([])
    this.#delayed = []
  }

  /** The event whose deliveries cannot be made holds up none of the others. */
  #continue(loading: Promise<void>, fire: (event: WebhookEvent) => Delivery[]): void {
    if (this.#loading !== loading) return
    this.#loading = undefined
    const delayed = this.#delayed
    this.#delayed = []
    for (const { event, resolve, reject } of delayed) {
      try {
        resolve(fire(event))
      } catch (error) {
        reject(error)
      }
    }
  }
}
