/** How much memory items may take together. */
export interface ItemSizes<T> {
  /** The most bytes of all items. */
  readonly most: number
  /** Returns the bytes of an item. It is the same for an item each time. */
  readonly bytesOf: (item: T) => number
}

/**
 * The latest `capacity` items, oldest first. Adding an item takes constant time: it copies and searches
 * nothing.
 */
export class LatestItems<T> {
  readonly #capacity: number
  readonly #sizes: ItemSizes<T>
  #bytes = 0
  /** The items before index `#first` were dropped. */
  #items: (T | undefined)[] = []
  #first = 0
  #view: readonly T[] | undefined

  constructor(capacity: number, sizes: ItemSizes<T> = { most: Infinity, bytesOf: () => 0 }) {
    this.#capacity = capacity
    this.#sizes = sizes
  }

  get size(): number {
    return this.#items.length - this.#first
  }

  /** All items. The array never changes. It is made when it is first read after a change. */
  get all(): readonly T[] {
    return (this.#view ??= this.#items.slice(this.#first) as T[])
  }

  /**
   * Adds an item at the end, but before the items at the end for which `isLater` returns true.
   *
   * @returns The oldest items, if they were dropped to make room.
   */
  add(item: T, isLater: (other: T) => boolean = () => false): T[] {
    let place = this.#items.length
    while (place > this.#first && isLater(this.#items[place - 1]!)) place--
    if (place === this.#items.length) this.#items.push(item)
    else this.#items.splice(place, 0, item)
    this.#view = undefined
    this.#bytes += this.#sizes.bytesOf(item)
    const dropped: T[] = []
    while (this.#isTooMuch) dropped.push(this.#dropOldest())
    return dropped
  }

  clear(): void {
    this.#items = []
    this.#first = 0
    this.#bytes = 0
    this.#view = undefined
  }

  get #isTooMuch(): boolean {
    return this.size > this.#capacity || this.#bytes > this.#sizes.most
  }

  #dropOldest(): T {
    const oldest = this.#items[this.#first]!
    this.#bytes -= this.#sizes.bytesOf(oldest)
    this.#items[this.#first++] = undefined
    // Cut only when half is dropped, so that the cost is spread over many calls.
    if (2 * this.#first > this.#items.length) {
      this.#items.splice(0, this.#first)
      this.#first = 0
    }
    return oldest
  }
}
