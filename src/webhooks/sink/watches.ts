import { milliseconds } from '../../base/text/duration.js'
import { matchesDelivery, type DeliveryMatch } from './match.js'
import type { ReceivedDelivery } from './received-delivery.js'
import { waitUntil, type SinkWorld, type WaitEnd } from './waiting.js'

/** A wait for deliveries, and those that matched so far. */
interface Watch {
  readonly match: DeliveryMatch
  found: ReceivedDelivery[]
  /** The error of the function that decides what matches. */
  failed?: { readonly error: unknown }
}

/** How a watch ends. */
interface Watching {
  /** How many deliveries must match. */
  readonly count: number
  readonly limit: string | number
  /** Whether it ends when nothing is left to do. */
  readonly untilIdle: boolean
  readonly world: SinkWorld | undefined
}

/** What matched in a wait, oldest first, and how the wait ended. */
interface WatchResult {
  readonly seen: ReceivedDelivery[]
  readonly end: WaitEnd
}

/** The waits for deliveries that are under way. Each delivery is compared once, when it arrives. */
export class Watches {
  readonly #underWay = new Set<Watch>()
  readonly #subscribe: (listener: () => void) => () => void

  /** `subscribe` calls the listener after each delivery that was added. */
  constructor(subscribe: (listener: () => void) => () => void) {
    this.#subscribe = subscribe
  }

  /** Waits until enough deliveries match: of those that matched before, and of those that arrive. */
  async wait(
    match: DeliveryMatch,
    before: readonly ReceivedDelivery[],
    { count, limit, untilIdle, world }: Watching,
  ): Promise<WatchResult> {
    const watch: Watch = { match, found: [...before] }
    this.#underWay.add(watch)
    const done = (): boolean => watch.found.length >= count || watch.failed !== undefined
    const wait = { done, limit: milliseconds(limit), untilIdle, subscribe: this.#subscribe }
    try {
      const end = await waitUntil(wait, world)
      if (watch.failed) throw watch.failed.error
      return { seen: watch.found.toSorted((one, other) => Number(one.id) - Number(other.id)), end }
    } finally {
      this.#underWay.delete(watch)
    }
  }

  /** Adds a delivery where it matches. Who waits gets the error of its own function, and the sender does not. */
  add(delivery: ReceivedDelivery): void {
    for (const watch of this.#underWay) {
      try {
        if (matchesDelivery(watch.match, delivery)) watch.found.push(delivery)
      } catch (error) {
        watch.failed ??= { error }
      }
    }
  }

  /** Forgets the other deliveries. */
  keep(stays: (delivery: ReceivedDelivery) => boolean): void {
    for (const watch of this.#underWay) watch.found = watch.found.filter(stays)
  }
}
