import type {
  DeliveryEntry,
  Headers,
  JournalEntry,
  ReceiptEntry,
  RequestEntry,
} from './journal-entry.js'
import {
  JobEventEntry,
  ReceivedRequest,
  type JobEventFacts,
  type Received,
} from './journal-records.js'

export type {
  DeliveryEntry,
  JobEntry,
  JournalEntry,
  NoteEntry,
  ReceiptEntry,
  RequestEntry,
} from './journal-entry.js'

/** Called with each complete entry of the journal. */
export type JournalListener = (entry: JournalEntry) => void

const MEGABYTE = 1024 * 1024

/**
 * The record of what happened: the latest entries (10,000 by default), with at most 16 MB of request bodies.
 * Listeners get an entry when it is complete: a request or a delivery when it is answered, and any other entry
 * at once.
 *
 * @example
 * const requests = emulator.journal.entries.filter(({ kind }) => kind === 'request')
 */
export class Journal {
  readonly #now: () => number
  readonly #capacity: number
  readonly #bodyBytes: number
  readonly #listeners = new Set<JournalListener>()
  #entries: JournalEntry[] = []
  /** Requests with bodies, oldest first. The bodies of those before index `#forgotten` are dropped. */
  #withBodies: ReceivedRequest[] = []
  #forgotten = 0
  /** The total length of the bodies in memory. */
  #bytesInMemory = 0
  #nextId = 1
  #requestCount = 0
  #lastHeaders: Headers = {}

  constructor(now: () => number, { capacity = 10_000, bodyBytes = 16 * MEGABYTE } = {}) {
    this.#now = now
    this.#capacity = capacity
    this.#bodyBytes = bodyBytes
  }

  /** The id that the next entry will have. */
  get nextId(): number {
    return this.#nextId
  }

  /** The number of requests since the emulator started. */
  get requestCount(): number {
    return this.#requestCount
  }

  /** The entries in memory, oldest first. */
  get entries(): readonly JournalEntry[] {
    return this.#entries.slice(-this.#capacity)
  }

  /**
   * Returns the entries in memory with greater ids, oldest first.
   *
   * @param id The id of an entry. 0 returns all entries.
   * @example
   * const before = emulator.journal.nextId - 1
   * await emulator.settle()
   * const entries = emulator.journal.entriesAfter(before)
   */
  entriesAfter(id: number): readonly JournalEntry[] {
    let start = this.#entries.length
    while (start > 0 && this.#entries[start - 1]!.id > id) start--
    return this.#entries.slice(Math.max(start, this.#entries.length - this.#capacity))
  }

  /**
   * Opens the entry of a request. `close` completes it.
   *
   * @internal
   */
  open(host: string, received: Received): RequestEntry {
    this.#requestCount++
    // Clients send the same headers again and again. Entries with the same headers share one object.
    if (!areSame(this.#lastHeaders, received.headers)) this.#lastHeaders = received.headers
    const opened = { id: this.#nextId++, at: this.#now(), host, headers: this.#lastHeaders }
    const entry = new ReceivedRequest(opened, received)
    this.#append(entry)
    if (entry.bodyBytes > 0) this.#keepBody(entry)
    return entry
  }

  /**
   * Completes the entry of a request. `took` is the real time until the response was ready, in milliseconds.
   *
   * @internal
   */
  close(entry: RequestEntry, took: number): void {
    entry.took = took
    this.#notify(entry)
  }

  /**
   * Adds the entry of a job event. `describe` formats its text, and is called only if somebody reads it.
   *
   * @internal
   */
  job(entry: JobEventFacts, describe: () => string): number {
    const id = this.#nextId++
    this.#complete(new JobEventEntry(id, this.#now(), entry, describe))
    return id
  }

  /**
   * Opens the entry of an attempt to deliver. `delivered` completes it.
   *
   * @internal
   */
  delivery(entry: Omit<DeliveryEntry, 'kind' | 'id' | 'at'>): DeliveryEntry {
    const opened: DeliveryEntry = {
      kind: 'delivery',
      id: this.#nextId++,
      at: this.#now(),
      ...entry,
    }
    this.#append(opened)
    return opened
  }

  /** @internal */
  delivered(entry: DeliveryEntry, outcome: Pick<DeliveryEntry, 'status' | 'error' | 'text'>): void {
    Object.assign(entry, outcome)
    this.#notify(entry)
  }

  /** @internal */
  receipt(entry: Omit<ReceiptEntry, 'kind' | 'id' | 'at'>): number {
    const id = this.#nextId++
    this.#complete({ kind: 'receipt', id, at: this.#now(), ...entry })
    return id
  }

  /** @internal */
  note(text: string, cause?: number): number {
    const id = this.#nextId++
    this.#complete({ kind: 'note', id, at: this.#now(), text, cause })
    return id
  }

  /**
   * Calls `listener` with each complete entry.
   *
   * @returns A function that unsubscribes the listener.
   * @example
   * const unsubscribe = emulator.journal.subscribe((entry) => console.log(entry.kind))
   */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Removes all entries. The next entry has id 1.
   *
   * @internal
   */
  clear(): void {
    this.#entries = []
    this.#withBodies = []
    this.#forgotten = 0
    this.#bytesInMemory = 0
    this.#nextId = 1
  }

  #keepBody(entry: ReceivedRequest): void {
    this.#withBodies.push(entry)
    this.#bytesInMemory += entry.bodyBytes
    while (this.#bytesInMemory > this.#bodyBytes) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const oldest = this.#withBodies[this.#forgotten++]!
    this.#bytesInMemory -= oldest.bodyBytes
    oldest.forgetBody()
    // Cut only when half of the bodies are dropped, so that the cost is spread over many calls.
    if (2 * this.#forgotten <= this.#withBodies.length) return
    this.#withBodies.splice(0, this.#forgotten)
    this.#forgotten = 0
  }

  #complete(entry: JournalEntry): void {
    this.#append(entry)
    this.#notify(entry)
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry)
    // Cut a fifth of the entries at once, so that the cost is spread over many calls.
    if (this.#entries.length <= 1.25 * this.#capacity) return
    this.#entries.splice(0, this.#entries.length - this.#capacity)
    const [first] = this.#entries
    while ((this.#withBodies[this.#forgotten]?.id ?? Infinity) < first!.id) this.#forgetOldest()
  }

  #notify(entry: JournalEntry): void {
    for (const listener of this.#listeners) listener(entry)
  }
}

function areSame(one: Headers, other: Headers): boolean {
  let left = 0
  for (const name in one) {
    if (one[name] !== other[name]) return false
    left++
  }
  for (const _name in other) left--
  return left === 0
}
