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
  /** Of an error: why, in one short line without keys. */
  detail?: string
  /** What the client may have meant: the nearest operation, or the models that are served. */
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
  /** For a request that reads a job: what the response showed of it. */
  jobView?: JobView | undefined
  /** @deprecated Use `jobView`. */
  readonly look?: JobView | undefined
}

export type Headers = Readonly<Record<string, string | undefined>>

/** What a request was shown of a job. */
export interface JobView {
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
