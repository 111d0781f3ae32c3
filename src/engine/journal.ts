import type {
  DeliveryEntry,
  Headers,
  JobEntry,
  JournalEntry,
  Look,
  ReceiptEntry,
  RequestEntry,
} from './journal-entry.js'

export type {
  DeliveryEntry,
  JobEntry,
  JournalEntry,
  NoteEntry,
  ReceiptEntry,
  RequestEntry,
} from './journal-entry.js'

interface Received {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Headers
  readonly body: Uint8Array | 'too-large'
}

/** Headers, body and look are private state: nobody who prints an entry prints them by accident. */
class ReceivedRequest implements RequestEntry {
  readonly kind = 'request'
  readonly id: number
  readonly at: number
  readonly host: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly effects: string[] = []
  readonly #headers: Headers
  #bytes: Uint8Array | undefined
  #bodyForgotten: boolean
  #look: Look | undefined

  constructor(id: number, at: number, host: string, received: Received) {
    this.id = id
    this.at = at
    this.host = host
    this.method = received.method
    this.path = received.path
    this.query = received.query
    this.#headers = received.headers
    this.#bodyForgotten = received.body === 'too-large'
    this.#bytes = received.body === 'too-large' ? undefined : received.body
  }

  get headers(): Headers {
    return this.#headers
  }

  get body(): unknown {
    if (!this.#bytes?.length) return undefined
    const text = new TextDecoder().decode(this.#bytes)
    try {
      return JSON.parse(text)
    } catch {
      return text
    }
  }

  get bodyForgotten(): boolean {
    return this.#bodyForgotten
  }

  get bodyBytes(): number {
    return this.#bytes?.length ?? 0
  }

  get look(): Look | undefined {
    return this.#look
  }

  set look(look: Look | undefined) {
    this.#look = look
  }

  forgetBody(): void {
    this.#bodyForgotten = true
    this.#bytes = undefined
  }
}

export type JournalListener = (entry: JournalEntry) => void

const MEGABYTE = 1024 * 1024

/**
 * An append-only record of the last `capacity` entries, and of the last `bodyBytes` of their bodies.
 * Listeners hear an entry when it is complete: a request or a delivery when it is answered, everything
 * else at once.
 */
export class Journal {
  readonly #now: () => number
  readonly #capacity: number
  readonly #bodyBytes: number
  readonly #listeners = new Set<JournalListener>()
  #entries: JournalEntry[] = []
  /** Requests whose bodies are held, oldest first, and how long these are together. */
  readonly #withBodies = new Set<ReceivedRequest>()
  #heldBytes = 0
  #nextId = 1
  #asked = 0

  constructor(now: () => number, { capacity = 10_000, bodyBytes = 16 * MEGABYTE } = {}) {
    this.#now = now
    this.#capacity = capacity
    this.#bodyBytes = bodyBytes
  }

  /** The id that the next entry will have. */
  get nextId(): number {
    return this.#nextId
  }

  /** How many requests ever came. */
  get asked(): number {
    return this.#asked
  }

  /** The entries still held, oldest first. */
  get entries(): readonly JournalEntry[] {
    return this.#entries.slice(-this.#capacity)
  }

  /** Opens a request's entry; `close` completes it. */
  open(host: string, received: Received): RequestEntry {
    this.#asked++
    const entry = new ReceivedRequest(this.#nextId++, this.#now(), host, received)
    this.#append(entry)
    if (entry.bodyBytes > 0) this.#hold(entry)
    return entry
  }

  close(entry: RequestEntry, took: number): void {
    entry.took = took
    this.#tell(entry)
  }

  /** `tell` makes the entry's words; it is called only if somebody reads them. Returns its id. */
  job(entry: Omit<JobEntry, 'kind' | 'id' | 'at' | 'text'>, tell: () => string): number {
    const id = this.#nextId++
    this.#complete({
      kind: 'job',
      id,
      at: this.#now(),
      ...entry,
      get text() {
        return tell()
      },
    })
    return id
  }

  /** Opens the entry of an attempt that leaves; `delivered` completes it. */
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

  delivered(entry: DeliveryEntry, outcome: Pick<DeliveryEntry, 'status' | 'error' | 'text'>): void {
    Object.assign(entry, outcome)
    this.#tell(entry)
  }

  receipt(entry: Omit<ReceiptEntry, 'kind' | 'id' | 'at'>): number {
    const id = this.#nextId++
    this.#complete({ kind: 'receipt', id, at: this.#now(), ...entry })
    return id
  }

  note(text: string, cause?: number): number {
    const id = this.#nextId++
    this.#complete({ kind: 'note', id, at: this.#now(), text, cause })
    return id
  }

  /** Calls `listener` for every completed entry, until the returned function is called. */
  subscribe(listener: JournalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  clear(): void {
    this.#entries = []
    this.#withBodies.clear()
    this.#heldBytes = 0
    this.#nextId = 1
  }

  #hold(entry: ReceivedRequest): void {
    this.#withBodies.add(entry)
    this.#heldBytes += entry.bodyBytes
    for (const oldest of this.#withBodies) {
      if (this.#heldBytes <= this.#bodyBytes) return
      this.#forget(oldest)
    }
  }

  #forget(entry: ReceivedRequest): void {
    if (!this.#withBodies.delete(entry)) return
    this.#heldBytes -= entry.bodyBytes
    entry.forgetBody()
  }

  #complete(entry: JournalEntry): void {
    this.#append(entry)
    this.#tell(entry)
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry)
    // Cut in halves: the cost of forgetting is spread over `capacity` appends.
    if (this.#entries.length <= 2 * this.#capacity) return
    for (const cut of this.#entries.splice(0, this.#entries.length - this.#capacity)) {
      if (cut instanceof ReceivedRequest) this.#forget(cut)
    }
  }

  #tell(entry: JournalEntry): void {
    for (const listener of this.#listeners) listener(entry)
  }
}
