/** A journal entry. Each knows the entry that caused it: request → job event → delivery → receipt. */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | ReceiptEntry | NoteEntry

interface EntryBase {
  /** Counts up from 1 in each emulator. */
  readonly id: number
  /** Milliseconds since the epoch on the emulator's clock. */
  readonly at: number
  /** The id of the entry that caused this one. */
  readonly cause?: number | undefined
}

export interface RequestEntry extends EntryBase {
  readonly kind: 'request'
  readonly host: string
  readonly method: string
  readonly path: string
  readonly query: string
  /** The operation id, once an operation matched. */
  operation?: string
  status?: number
  /** Set if a fault left the request without a response. */
  lost?: 'disconnect' | 'hang'
  /** Milliseconds of real time until the response was ready. */
  took?: number
  /** The reason for an error, in one short line without keys. */
  detail?: string
  /** What the client may have meant: the most similar operation, or the models that are served. */
  hint?: string
  /** Set if the emulator itself failed and responded with 500. */
  fault?: unknown
  /** The tokens of a chat, and the project that a header of the request names, if one does. */
  usage?: { project?: string; prompt_tokens: number; completion_tokens: number }
  /** What the engine did because of the request, as texts. */
  readonly effects: string[]
  /** As received, with names in lower case. Never printed, as one of them holds the key. */
  readonly headers: Headers
  /** The parsed JSON, or the text if it is not JSON. Undefined without a body, or if it was dropped. */
  readonly body: unknown
  /** Whether the body was dropped to limit memory. */
  readonly bodyForgotten: boolean
  /** For a request that reads a job: what the response showed of it. */
  jobView?: JobView | undefined
  /** @deprecated Use `jobView`. */
  readonly look?: JobView | undefined
}

export type Headers = Readonly<Record<string, string | undefined>>

/** What a response showed of a job. */
export interface JobView {
  readonly jobId: string
  /** For a list of events: the index of the first event that the request asked for. */
  readonly from?: number
  /** Whether the response showed the end of the job. */
  readonly over: boolean
}

export interface JobEntry extends EntryBase {
  readonly kind: 'job'
  readonly jobId: string
  readonly modelName: string
  readonly event: string
  /** For people: `step 3 of 6, loss 1.2`. Made when it is read. */
  readonly text: string
}

/**
 * One attempt to deliver a webhook. It is recorded when it leaves. Attempts of a delivery share its id
 * and its bytes.
 */
export interface DeliveryEntry extends EntryBase {
  readonly kind: 'delivery'
  readonly deliveryId: string
  /** Counts up from 1 in each delivery. */
  readonly attempt: number
  /** The webhook's name. */
  readonly webhook: string
  readonly url: string
  /** The event, as in the payload's `event_type`. */
  readonly event: string
  /** The status that the receiver answered. */
  status?: number | undefined
  /** Why the attempt failed. */
  error?: string | undefined
  /** For people: `RUN_STATE to my-hook: 200`. */
  text: string
}

/** A delivery that the webhook sink received. */
export interface ReceiptEntry extends EntryBase {
  readonly kind: 'receipt'
  /** The id of the sink's record. */
  readonly recordId: string
  readonly verdict: string
  /** For people: `POST /hook, valid`. */
  readonly text: string
}

export interface NoteEntry extends EntryBase {
  readonly kind: 'note'
  readonly text: string
}
