import TinyQueue from 'tinyqueue'

/** What a scheduled task will do, for people. */
export interface TaskFacts {
  /** What kind of thing happens. */
  readonly kind: 'job' | 'timeline' | 'checkpoint' | 'delivery' | 'response' | 'task'
  /** Describes it in words, such as `poet 3f2a91bc: step 3 of 6`. */
  readonly describe: () => string
  /** The id of the job that it is about. */
  readonly jobId?: string | undefined
  /** The id of the delivery that it is about. */
  readonly deliveryId?: string | undefined
  /** The id of the journal entry that led to it. */
  readonly cause?: number | undefined
}

/** A task that runs at a moment of the clock. */
export interface ScheduledTask {
  /** When it runs, in milliseconds since the epoch, on the clock of the queue. */
  readonly at: number
  /** Runs the task. The clock calls it. */
  readonly run: () => void
  /** What it will do, if it is known. */
  readonly facts?: TaskFacts | undefined
}

interface Entry extends ScheduledTask {
  readonly order: number
  /** Whether it was cancelled or taken. */
  done: boolean
}

/**
 * The scheduled tasks of a clock, earliest first. Tasks for the same moment keep the order in which they
 * were added, so that two runs of the same world never differ.
 */
export class TimerQueue {
  #queue = new TinyQueue<Entry>([], before)
  #added = 0
  #cancelled = 0

  /** The number of tasks that are still to come. */
  get size(): number {
    return this.#queue.length - this.#cancelled
  }

  /** The tasks that are still to come, in the order in which they run. */
  get all(): ScheduledTask[] {
    return this.#queue.data.filter(({ done }) => !done).sort(before)
  }

  add(at: number, run: () => void, facts?: TaskFacts): ScheduledTask {
    const entry: Entry = { at, run, facts, order: this.#added++, done: false }
    this.#queue.push(entry)
    return entry
  }

  /** Does nothing for a task that was taken or cancelled before. */
  cancel(task: ScheduledTask): void {
    const entry = task as Entry
    if (entry.done) return
    entry.done = true
    this.#cancelled++
    // Cancelled entries stay in the queue until they come first. The queue is rebuilt if most are cancelled.
    if (this.#cancelled > 1024 && this.#cancelled * 2 > this.#queue.length) this.#compact()
  }

  /** Returns the time of the next task. Undefined if there is no task. */
  nextAt(): number | undefined {
    return this.#first()?.at
  }

  /** Removes and returns the earliest task that is due at or before `until`. */
  take(until: number): ScheduledTask | undefined {
    const first = this.#first()
    if (first === undefined || first.at > until) return undefined
    this.#queue.pop()
    first.done = true
    return first
  }

  clear(): void {
    for (const entry of this.#queue.data) entry.done = true
    this.#queue = new TinyQueue<Entry>([], before)
    this.#cancelled = 0
  }

  #first(): Entry | undefined {
    while (this.#queue.peek()?.done) {
      this.#queue.pop()
      this.#cancelled--
    }
    return this.#queue.peek()
  }

  #compact(): void {
    const remaining = this.#queue.data.filter(({ done }) => !done)
    this.#queue = new TinyQueue(remaining, before)
    this.#cancelled = 0
  }
}

function before(a: Entry, b: Entry): number {
  return a.at - b.at || a.order - b.order
}
