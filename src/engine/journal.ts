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
  /** As received, names in lower case. Not among what is printed: one of them is the key. */
  readonly headers: Headers
  /** Read as JSON where it is that, else as text; undefined where there is none, or none any more. */
  readonly body: unknown
  /** Whether there was a body that had to make room for later ones. */
  readonly bodyForgotten: boolean
  /** For a request that looks at a job. */
  look?: Look | undefined
}

type Headers = Readonly<Record<string, string | undefined>>

/** What a request was shown of a job. */
export interface Look {
  readonly jobId: string
  /** Of a list of events: the place of the first one asked for, counted from 0. */
  readonly from?: number
  /** Whether the job's end was to be seen in the answer. */
  readonly over: boolean
}

export interface JobEntry extends EntryBase {
  readonly kind: 'job'
  readonly jobId: string
  readonly modelName: string
  readonly event: string
  /** In words: `step 3 of 6, loss 1.2`. Worked out when it is read. */
  readonly text: string
}

/**
 * One attempt to deliver a webhook, from when it leaves. Attempts of one delivery have its id and its
 * bytes.
 */
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
  status?: number | undefined
  /** Why there was no answer, or no good one. */
  error?: string | undefined
  /** In words: `RUN_STATE to my-hook: 200`. */
  text: string
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

  constructor(now: () => number, { capacity = 10_000, bodyBytes = 16 * MEGABYTE } = {}) {
    this.#now = now
    this.#capacity = capacity
    this.#bodyBytes = bodyBytes
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
  open(host: string, received: Received): RequestEntry {
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
