/** What is recorded, each entry with what caused it: request → job event → delivery → receipt. */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | ReceiptEntry | NoteEntry

interface EntryBase {
  /** Counts up from 1 within one emulator. */
  readonly id: number
  /** Milliseconds since the epoch on the emulator's clock. */
  readonly at: number
  /** The entry that led to this one. */
  readonly cause?: number | undefined
}

export interface RequestEntry extends EntryBase {
  readonly kind: 'request'
  readonly host: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** The operation's id, once a row of the table matched. */
  operation?: string
  status?: number
  /** Set where no answer was given, on purpose. */
  lost?: 'disconnect' | 'hang'
  /** Milliseconds of wall time until the answer was ready. */
  took?: number
  /** For a request that matched nothing: the nearest operation. */
  hint?: string
  /** Set where the emulator itself failed; the client was told 500. */
  fault?: unknown
  /** Of a chat: the project that its header names, if one does, and what it came to. */
  usage?: { project?: string; prompt_tokens: number; completion_tokens: number }
  /** What the engine did because of the request, in words. */
  readonly effects: string[]
}

export interface JobEntry extends EntryBase {
  readonly kind: 'job'
  readonly jobId: string
  readonly modelName: string
  readonly event: string
  /** In words: `step 3 of 6, loss 1.2`. Worked out when it is read. */
  readonly text: string
}

/** One attempt to deliver a webhook. Attempts of one delivery have its id and its bytes. */
export interface DeliveryEntry extends EntryBase {
  readonly kind: 'delivery'
  readonly deliveryId: string
  /** Counts up from 1 within its delivery. */
  readonly attempt: number
  /** The webhook's name. */
  readonly webhook: string
  readonly url: string
  /** What it is about, as the payload's `event_type` has it. */
  readonly event: string
  /** What the receiver answered. */
  readonly status?: number | undefined
  /** Why there was no answer. */
  readonly error?: string | undefined
  /** In words: `RUN_STATE to my-hook: 200`. */
  readonly text: string
}

/** What the webhook sink took in. */
export interface ReceiptEntry extends EntryBase {
  readonly kind: 'receipt'
  /** The sink's record of it. */
  readonly recordId: string
  readonly verdict: string
  /** In words: `POST /hook, valid`. */
  readonly text: string
}

export interface NoteEntry extends EntryBase {
  readonly kind: 'note'
  readonly text: string
}

export type JournalListener = (entry: JournalEntry) => void

/**
 * An append-only record of the last `capacity` entries. Listeners hear an entry when it is complete:
 * a request when it is answered, everything else at once.
 */
export class Journal {
  readonly #now: () => number
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  #entries: JournalEntry[] = []
  #nextId = 1

  constructor(now: () => number, capacity = 10_000) {
    this.#now = now
    this.#capacity = capacity
  }

  /** The id that the next entry will have. */
  get nextId(): number {
    return this.#nextId
  }

  /** The entries still held, oldest first. */
  get entries(): readonly JournalEntry[] {
    return this.#entries.slice(-this.#capacity)
  }

  /** Opens a request's entry; `close` completes it. */
  open(host: string, request: Pick<RequestEntry, 'method' | 'path' | 'query'>): RequestEntry {
    const entry: RequestEntry = {
      kind: 'request',
      id: this.#nextId++,
      at: this.#now(),
      host,
      method: request.method,
      path: request.path,
      query: request.query,
      effects: [],
    }
    this.#append(entry)
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
    this.#nextId = 1
  }

  #complete(entry: JournalEntry): void {
    this.#append(entry)
    this.#tell(entry)
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry)
    // Cut in halves: the cost of forgetting is spread over `capacity` appends.
    if (this.#entries.length > 2 * this.#capacity)
      this.#entries = this.#entries.slice(-this.#capacity)
  }

  #tell(entry: JournalEntry): void {
    for (const listener of this.#listeners) listener(entry)
  }
}
