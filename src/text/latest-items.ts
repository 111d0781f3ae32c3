/**
 * The latest `capacity` items, oldest first. Adding one costs the same however many there are: there is
 * no copy and no search.
 */
export class LatestItems<T> {
  readonly #capacity: number
  /** Those before `#first` were dropped. */
  #items: (T | undefined)[] = []
  #first = 0
  #view: readonly T[] | undefined

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#items.length - this.#first
  }

  /** All of them. The array never changes; it is made when it is first read after a change. */
  get all(): readonly T[] {
    return (this.#view ??= this.#items.slice(this.#first) as T[])
  }

  /**
   * Adds an item at the end, or before those at the end for which `isLater` is true.
   *
   * @returns The oldest item, if it had to make room.
   */
  add(item: T, isLater: (other: T) => boolean = () => false): T | undefined {
    let place = this.#items.length
    while (place > this.#first && isLater(this.#items[place - 1]!)) place--
    if (place === this.#items.length) this.#items.push(item)
    else this.#items.splice(place, 0, item)
    this.#view = undefined
    return this.size > this.#capacity ? this.#dropOldest() : undefined
  }

  clear(): void {
    this.#items = []
    this.#first = 0
    this.#view = undefined
  }

  #dropOldest(): T {
    const oldest = this.#items[this.#first]!
    this.#items[this.#first++] = undefined
    // Cut in halves: moving what is left is spread over as many calls.
    if (this.#first > this.#capacity) {
      this.#items.splice(0, this.#first)
      this.#first = 0
    }
    return oldest
  }
}
