import type {
  DeliveryEntry,
  Headers,
  JournalEntry,
  NoteEntry,
  ReceiptEntry,
  RequestEntry,
} from './journal-entry.js'
import { BrokenOff, type Api, type Chunk, type Chunks, type Outcome } from '../contract/exchange.js'
import { BackgroundErrors } from '../../base/text/background-errors.js'
import { LatestItems } from '../../base/text/latest-items.js'
import { RecentTexts } from '../../base/text/recent-texts.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { secretsInQuery } from '../../base/text/redaction/credentials.js'
import {
  JobEventEntry,
  ReceivedRequest,
  ResponseRecord,
  type JobEventFacts,
  type JobEventWords,
  type ReceivedCall,
} from './journal-records.js'
import { recorded, type Recording } from './recorded-chunks.js'
import { LONGEST_DETAIL, RecordedEntry, secretsInHeaders, textsOf } from './shown-entry.js'
import { WARNINGS_PAGE, type Warning } from './warnings.js'

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

/** A fifth of the entries is cut at once, so that the cost is spread over many calls. Until then, there are more. */
const MORE = 1.25

/**
 * The record of what happened: the latest entries (10,000 by default), with at most 16 MB of
 * request bodies and 16 MB of response bodies.
 * Listeners get an entry when it is complete: a request or a delivery when it is answered, and any other entry
 * at once. Entries hold what was sent, and whoever shows them hides the secrets.
 *
 * @example
 * const requests = emulator.journal.entries.filter(({ kind }) => kind === 'request')
 */
export class Journal {
  /**
   * Removes secrets from texts: those that clients sent, and those that the world has.
   *
   * @internal
   */
  readonly redactor = new Redactor({ position: () => this.#nextId })
  readonly #now: () => number
  readonly #capacity: number
  readonly #listeners = new Set<JournalListener>()
  /** Listeners whose error is in the journal. Each entry may make them fail again. */
  readonly #failed = new WeakSet<JournalListener>()
  /**
   * Takes the errors of work that no call waits for. Each of them becomes a note.
   *
   * @internal
   */
  readonly background: BackgroundErrors
  /**
   * The requests whose clients still wait for an answer that hangs.
   *
   * @internal
   */
  readonly hanging = new Set<RequestEntry>()
  #entries: JournalEntry[] = []
  /** The requests whose bodies are in memory. The oldest drop theirs. */
  readonly #bodies: LatestItems<ReceivedRequest>
  readonly #responses: RecentTexts
  #nextId = 1
  #requestCount = 0
  #lastHeaders: Headers = {}
  #credentials: readonly string[] = []

  constructor(now: () => number, { capacity = 10_000, bodyBytes = 16 * MEGABYTE } = {}) {
    this.#now = now
    this.background = new BackgroundErrors({
      show: (error) => void this.#add(error),
      redact: (text) => this.redactor.redact(text),
    })
    this.#capacity = capacity
    const bytesOf = ({ bodyBytes: bytes }: ReceivedRequest): number => bytes
    this.#bodies = new LatestItems(MORE * capacity, { most: bodyBytes, bytesOf })
    this.#responses = new RecentTexts(bodyBytes)
  }

  /** The id that the next entry will have. */
  get nextId(): number {
    return this.#nextId
  }

  /**
   * The time on the clock of the world.
   *
   * @internal
   */
  get now(): number {
    return this.#now()
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
  open(host: Api, received: ReceivedCall): RequestEntry {
    this.#requestCount++
    // Clients send the same headers again and again. Entries with the same headers share one object.
    if (!areSame(this.#lastHeaders, received.headers)) {
      this.#rememberAll(this.#credentials)
      this.#lastHeaders = received.headers
      this.#credentials = secretsInHeaders(received.headers)
      this.#rememberAll(this.#credentials)
    }
    this.#rememberAll(secretsInQuery(received.query))
    const opened = { id: this.#nextId++, at: this.#now(), host, headers: this.#lastHeaders }
    const entry = new ReceivedRequest(this.redactor, opened, received)
    this.#append(entry)
    return entry
  }

  /**
   * Records the response of a request. The body of a stream is recorded as the client reads it.
   *
   * @returns What to send instead: the same response, whose chunks are recorded.
   * @internal
   */
  respond(entry: RequestEntry, outcome: Outcome): Outcome {
    if (!(entry instanceof ReceivedRequest)) return outcome
    if (outcome.kind !== 'response' && outcome.kind !== 'stream') return outcome
    const response = new ResponseRecord(outcome.headers)
    entry.respond(response)
    if (outcome.kind === 'stream') {
      const recording: Recording = {
        response,
        end: () => response.end(this.#responses),
        failed: (error) => this.#streamFailed(entry, error),
      }
      return { ...outcome, chunks: recorded(outcome.chunks, recording) }
    }
    response.add(outcome.body)
    response.end(this.#responses)
    return outcome
  }

  /**
   * Replaces the body of a request with what it is once it is decompressed.
   *
   * @internal
   */
  decoded(entry: RequestEntry, bytes: Uint8Array): void {
    if (entry instanceof ReceivedRequest) entry.replaceBody(bytes)
  }

  /**
   * Completes the entry of a request. `took` is the real time until the response was ready, in milliseconds.
   *
   * @internal
   */
  close(entry: RequestEntry, took: number): void {
    entry.took = took
    entry.answeredAt = this.#now()
    const { detail = '' } = entry
    // A slice keeps the whole text in memory; a copy does not.
    if (detail.length > LONGEST_DETAIL)
      entry.detail = structuredClone(detail.slice(0, LONGEST_DETAIL))
    if (entry instanceof ReceivedRequest && entry.bodyBytes > 0) {
      // Entries that were removed keep theirs, for those who hold them.
      const first = this.#entries[0]?.id ?? 0
      for (const oldest of this.#bodies.add(entry)) if (oldest.id >= first) oldest.forgetBody()
    }
    this.#notify(entry)
  }

  /**
   * Notes when the client leaves a request whose answer hangs. Until then, the request is one of `hanging`.
   *
   * @param until Resolves to whether the client left, before the world ended.
   * @param took Returns the real time since the request came, in milliseconds.
   * @internal
   */
  hangs(entry: RequestEntry, until: Promise<boolean>, took: () => number): void {
    this.hanging.add(entry)
    void until.then((isLeft) => {
      this.hanging.delete(entry)
      if (!isLeft) return
      entry.took = took()
      const waited = (this.#now() - entry.at) / 1000
      const after = waited > 0 ? ` after ${waited.toFixed(2)} s` : ''
      this.note(`${entry.method} ${entry.path} hangs no more: the client left${after}`, entry.id)
    })
  }

  /**
   * Adds the entry of a job event. `describe` is called only if somebody reads it.
   *
   * @internal
   */
  job(entry: JobEventFacts, describe: () => JobEventWords): number {
    const opened = { id: this.#nextId++, at: this.#now() }
    this.#complete(new JobEventEntry(this.redactor, opened, entry, describe))
    return opened.id
  }

  /**
   * Opens the entry of an attempt to deliver. `delivered` completes it.
   *
   * @internal
   */
  delivery(entry: Omit<DeliveryEntry, 'kind' | 'id' | 'at'>): DeliveryEntry {
    const opened = this.#opened('delivery', entry)
    this.#append(opened)
    return opened
  }

  /** @internal */
  delivered(entry: DeliveryEntry, outcome: Pick<DeliveryEntry, 'status' | 'error' | 'text'>): void {
    entry.status = outcome.status
    entry.error = outcome.error
    entry.text = outcome.text
    this.#notify(entry)
  }

  /** @internal */
  receipt(entry: Omit<ReceiptEntry, 'kind' | 'id' | 'at'>): number {
    return this.#complete(this.#opened('receipt', entry))
  }

  /** @internal */
  note(text: string, cause?: number, quote?: string): number {
    return this.#add({ text, cause, ...(quote !== undefined && { quote }) })
  }

  /** @internal */
  warn({ name, text }: Warning, cause?: number): number {
    const warning = { name, docs: WARNINGS_PAGE }
    return this.#add({ text: `warning: ${text}`, cause, warning })
  }

  /**
   * Passes the chunks of a stream on that has no entry. Reports why they break off.
   *
   * @internal
   */
  async *watched(chunks: Chunks, request: StreamedRequest): AsyncGenerator<Chunk> {
    try {
      yield* chunks
    } catch (error) {
      this.#streamFailed(request, error)
      throw error
    }
  }

  #streamFailed({ method, path, id }: StreamedRequest, error: unknown): void {
    if (error instanceof BrokenOff) return
    this.background.report(`send all of the answer to ${method} ${path}`, error, id)
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
    this.hanging.clear()
    this.#bodies.clear()
    this.#responses.clear()
    this.#nextId = 1
  }

  #rememberAll(secrets: readonly string[]): void {
    for (const secret of secrets) this.redactor.remember(secret)
  }

  #add(note: Pick<NoteEntry, 'text' | 'quote' | 'cause' | 'stack' | 'warning'>): number {
    return this.#complete(this.#opened('note', note))
  }

  #opened<Kind extends JournalEntry['kind'], Fields extends object>(kind: Kind, fields: Fields) {
    const opened = { id: this.#nextId++, at: this.#now() }
    return Object.assign(new RecordedEntry(this.redactor, kind, opened), fields)
  }

  #complete(entry: JournalEntry): number {
    this.#append(entry)
    this.#notify(entry)
    return entry.id
  }

  #append(entry: JournalEntry): void {
    this.#entries.push(entry)
    if (this.#entries.length <= MORE * this.#capacity) return
    this.#entries.splice(0, this.#entries.length - this.#capacity)
    const [first] = this.#entries
    // The latest calls sent them, too.
    this.#rememberAll(this.#credentials)
    this.redactor.forgetBefore(first!.id, () => textsOf(this.#entries))
  }

  #notify(entry: JournalEntry): void {
    for (const listener of this.#listeners) {
      try {
        listener(entry)
      } catch (error) {
        this.#listenerFailed(listener, error, entry)
      }
    }
  }

  /** Reports the first error of a listener. The listener still gets the next entries. */
  #listenerFailed(listener: JournalListener, error: unknown, { id }: JournalEntry): void {
    if (this.#failed.has(listener)) return
    this.#failed.add(listener)
    this.background.report('tell a listener of the journal', error, id)
  }
}

/** A request whose answer is a stream. The journal has no entry for calls of the control API. */
type StreamedRequest = Pick<RequestEntry, 'method' | 'path'> & { readonly id?: number }

function areSame(one: Headers, other: Headers): boolean {
  let left = 0
  for (const name in one) {
    if (one[name] !== other[name]) return false
    left++
  }
  for (const _name in other) left--
  return left === 0
}
