/** The latest so many of what was added. Older ones make room for them, and are counted. */
export class Latest<T> {
  readonly #most: number
  /** A ring: the one at `#added % #most` is the oldest, once it is full. */
  #items: T[] = []
  #added = 0

  constructor(most: number) {
    this.#most = most
  }

  add(item: T): void {
    this.#items[this.#added++ % this.#most] = item
  }

  /** Those that are there, oldest first, and how many made room for them; then it is empty. */
  take(): { items: T[]; forgotten: number } {
    const oldest = this.#added % this.#most
    const items =
      this.#added <= this.#most
        ? this.#items
        : [...this.#items.slice(oldest), ...this.#items.slice(0, oldest)]
    const forgotten = this.#added - items.length
    this.#items = []
    this.#added = 0
    return { items, forgotten }
  }
}
