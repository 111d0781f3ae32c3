import { LatestItems } from '../../base/text/latest-items.js'
import type { Delivery } from './delivery.js'

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
