/** Something to do at a moment of the clock. */
export interface ScheduledTask {
  /** Milliseconds since the epoch, on the clock of the queue. */
  readonly at: number
  readonly run: () => void
}

interface Entry extends ScheduledTask {
  readonly order: number
  cancelled: boolean
}

/**
 * What is due, earliest first; tasks for the same moment keep the order in which they were
 * made, so that two runs of the same world never differ.
 *
 * A binary heap: making, taking and cancelling cost O(log n) at most, whatever the number of jobs.
 */
export class TimerQueue {
  #heap: Entry[] = []
  #made = 0
  #cancelled = 0

  /** The number of tasks that still stand. */
  get size(): number {
    return this.#heap.length - this.#cancelled
  }

  add(at: number, run: () => void): ScheduledTask {
    const entry: Entry = { at, run, order: this.#made++, cancelled: false }
    this.#heap.push(entry)
    this.#rise(this.#heap.length - 1)
    return entry
  }

  /** Cancelling what was already taken or cancelled does nothing. */
  cancel(task: ScheduledTask): void {
    const entry = task as Entry
    if (entry.cancelled) return
    entry.cancelled = true
    this.#cancelled++
    // Cancelled entries stay in the heap until they surface; rebuild once they are the majority.
    if (this.#cancelled > 1024 && this.#cancelled * 2 > this.#heap.length) this.#compact()
  }

  /** When the next task is due, if there is one. */
  nextAt(): number | undefined {
    this.#dropCancelled()
    return this.#heap[0]?.at
  }

  /** Removes and returns the earliest task that is due at or before `until`. */
  take(until: number): ScheduledTask | undefined {
    this.#dropCancelled()
    const first = this.#heap[0]
    if (first === undefined || first.at > until) return undefined
    this.#removeFirst()
    // Taken counts as cancelled for a later cancel(), which must not spoil the count.
    first.cancelled = true
    return first
  }

  clear(): void {
    for (const entry of this.#heap) entry.cancelled = true
    this.#heap = []
    this.#cancelled = 0
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.cancelled) {
      this.#removeFirst()
      this.#cancelled--
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink(0)
  }

  #compact(): void {
    this.#heap = this.#heap.filter((entry) => !entry.cancelled).sort(before)
    this.#cancelled = 0
  }

  #rise(start: number): void {
    const heap = this.#heap
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (before(heap[parent]!, heap[index]!) <= 0) return
      this.#swap(parent, index)
      index = parent
    }
  }

  #sink(start: number): void {
    const heap = this.#heap
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      let least = index
      if (left < heap.length && before(heap[left]!, heap[least]!) < 0) least = left
      if (right < heap.length && before(heap[right]!, heap[least]!) < 0) least = right
      if (least === index) return
      this.#swap(least, index)
      index = least
    }
  }

  #swap(a: number, b: number): void {
    const heap = this.#heap
    const kept = heap[a]!
    heap[a] = heap[b]!
    heap[b] = kept
  }
}

function before(a: Entry, b: Entry): number {
  return a.at - b.at || a.order - b.order
}
