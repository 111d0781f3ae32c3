import type { Api } from '../contract/exchange.js'
import type { InputProblem } from '../contract/pydantic/problem.js'
import type { PlatformChange } from '../platform/platform-change.js'
import type { FaultKind } from '../scenario/faults/kinds/index.js'

/**
 * An entry of the journal. It has the id of the entry that caused it: request → job event → delivery → receipt.
 *
 * Its fields hold what was sent. Its JSON, and what `console.log` prints of it, have no secrets.
 */
export type JournalEntry = RequestEntry | JobEntry | DeliveryEntry | ReceiptEntry | NoteEntry

interface EntryBase {
  /** The number of the entry, from 1 in each emulator. A reset starts again at 1. */
  readonly id: number
  /** When it happened, in milliseconds since the epoch, on the emulator's clock. */
  readonly at: number
  /** The id of the entry that caused this one. Undefined if nothing in the journal caused it. */
  readonly cause?: number | undefined
}

/** A request to the emulator as it was sent, and its outcome. */
export interface RequestEntry extends EntryBase {
  /** Tells the kinds of entries apart. */
  readonly kind: 'request'
  /** The API that it was sent to. */
  readonly host: Api
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The path without the query. */
  readonly path: string
  /** The text after the `?`, or an empty text. */
  readonly query: string
  /** The id of the operation. Undefined if no operation matched. */
  operation?: string
  /** The HTTP status of the response. */
  status?: number
  /** Set if a fault left the request without a response, or with half of one: then it has a `status`, too. */
  lost?: 'disconnect' | 'hang'
  /** Milliseconds of real time until the response was ready. If it hangs: until the client left. */
  took?: number
  /**
   * When the response was ready, in milliseconds since the epoch, on the emulator's clock.
   *
   * @internal
   */
  answeredAt?: number
  /** The reason for an error, at most its first 2,400 characters. */
  detail?: string
  /** A suggestion for the client: the most similar operation, or the models that are served. */
  hint?: string
  /** The error, if the emulator itself failed and responded with 500. */
  fault?: unknown
  /** The tokens of a chat, and the project from a header of the request. */
  usage?: { project?: string; prompt_tokens: number; completion_tokens: number }
  /**
   * The model of a chat that got invented text, although no training uses it: that of a judge or a teacher.
   *
   * @internal
   */
  inventedFor?: string
  /**
   * The base model that answered a chat in place of an adapter.
   *
   * @internal
   */
  answeredBy?: string
  /**
   * Who answered a chat, and the one of the effects that says so, with its tokens.
   *
   * @internal
   */
  answer?: { readonly by: string; readonly effect: string }
  /** What the request caused, as texts for people: `queued RL job …`. */
  readonly effects: string[]
  /** The headers, with names in lower case. Printing the entry does not print them. */
  readonly headers: Headers
  /** The parsed JSON, or the text if it is not JSON. Undefined if there was no body, or if it was dropped. */
  readonly body: unknown
  /** Whether the body was dropped to limit memory. */
  readonly bodyForgotten: boolean
  /** The response, as far as it was sent. Printing the entry does not print it. Undefined if there was none. */
  readonly response: RecordedResponse | undefined
  /**
   * Why it was refused, field by field: at most the first 200 problems.
   *
   * @internal
   */
  problems: readonly InputProblem[]
  /**
   * The faults that had an effect on the response.
   *
   * @internal
   */
  faults: readonly FaultHit[]
  /**
   * What it did to runs, artifacts and what belongs to them.
   *
   * @internal
   */
  changes: readonly RecordChange[]
  /**
   * The index of the chat rule of the scenario that answered. Undefined if none did.
   *
   * @internal
   */
  chatRule: number | undefined
  /**
   * The body of the request as text.
   *
   * @internal
   */
  readonly bodyText: string | undefined
  /**
   * The body of the request as text, at most its first 65,536 characters. Undefined if there was none, or if it was
   * dropped.
   *
   * @internal
   */
  readonly bodyBeginning: { readonly text: string; readonly isCut: boolean } | undefined
  /**
   * The values of secret fields in the body, also if the body was dropped.
   *
   * @internal
   */
  readonly secretFields: readonly string[]
  /**
   * The length of the body of the request in bytes, also if the body was dropped.
   *
   * @internal
   */
  readonly bodyLength: number | undefined
  /**
   * The hash of `bodyBeginning`, also if the body was dropped.
   *
   * @internal
   */
  readonly bodyHash: number | undefined
  /**
   * For a request that reads a job: what the response showed of the job.
   *
   * @internal
   */
  jobView?: JobView | undefined
}

/** A response in the journal, as it was sent. Its body is dropped if the bodies need too much memory. */
export interface RecordedResponse {
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The beginning of the body as text, at most 65,536 characters. Undefined if it was dropped. */
  readonly text: string | undefined
  /** The length of the whole body, in characters. */
  readonly length: number
}

/** A fault that had an effect on a request. */
export interface FaultHit {
  readonly id: string
  readonly name: string
  /** Whether its rule has this name. Otherwise the name only says its place. */
  readonly isNamed: boolean
  readonly fault: FaultKind
  /** What it did, in the words of its kind: `truncated`. */
  readonly effect: string
}

/** What a request did to runs, artifacts and what belongs to them. */
export interface RecordChange {
  readonly type: PlatformChange['type'] | 'content_stored'
  /** The path of the run, or the id of the artifact. Undefined if it is about neither. */
  readonly of?: string
}

/** Headers by name, in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>

/** What a response showed of a job. */
export interface JobView {
  readonly jobId: string
  /** For a list of events: the index of the first event that the request asked for. */
  readonly from?: number
  /** For a list of events: the indexes of the first event that the response showed, and of the one after the last. */
  readonly shown?: readonly [first: number, end: number]
  /** Whether the response showed the end of the job. */
  readonly over: boolean
}

/** An event of a training job. */
export interface JobEntry extends EntryBase {
  /** Tells the kinds of entries apart. */
  readonly kind: 'job'
  /** The id of the job. */
  readonly jobId: string
  /** The name of the model. */
  readonly modelName: string
  /** The type of the event, such as `gradient_step`. */
  readonly event: string
  /** For people: `step 3 of 6, loss 1.2`. */
  readonly text: string
  /**
   * What the text of a gradient step says.
   *
   * @internal
   */
  readonly step?: StepEntry | undefined
}

/** A gradient step, and those of its metrics that people see. */
export interface StepEntry {
  /** From 1. */
  readonly number: number
  /** How many steps the job has. */
  readonly count: number
  readonly metrics: readonly (readonly [name: string, value: number | string | null])[]
}

/**
 * One attempt to deliver a webhook, recorded when it is sent. All attempts of a delivery have the same
 * `deliveryId` and send the same bytes.
 */
export interface DeliveryEntry extends EntryBase {
  /** Tells the kinds of entries apart. */
  readonly kind: 'delivery'
  /** The id of the delivery, the same for each attempt. */
  readonly deliveryId: string
  /** The number of the attempt, from 1 for each delivery. */
  readonly attempt: number
  /** Which copy of the delivery it is, from 2. Undefined for the delivery itself. */
  readonly copy?: number | undefined
  /** The webhook's name. */
  readonly webhook: string
  /** The URL that it was sent to. */
  readonly url: string
  /** The event, as in the payload's `event_type`. */
  readonly event: string
  /** The HTTP status of the receiver's response. */
  status?: number | undefined
  /** Why the attempt failed. */
  error?: string | undefined
  /** For people: `RUN_STATE to my-hook: 200`. */
  text: string
}

/** Whether the attempt has no response yet. */
export function isUnderWay({ status, error }: DeliveryEntry): boolean {
  return status === undefined && error === undefined
}

/** A delivery that the webhook sink received. */
export interface ReceiptEntry extends EntryBase {
  /** Tells the kinds of entries apart. */
  readonly kind: 'receipt'
  /** The id of the sink's record. */
  readonly recordId: string
  /** The result of the signature check, such as `valid`. */
  readonly verdict: string
  /** For people: `POST /hook, valid`. */
  readonly text: string
}

/** Anything else that happened, such as a fault that opens, or an error of work that no call waits for. */
export interface NoteEntry extends EntryBase {
  /** Tells the kinds of entries apart. */
  readonly kind: 'note'
  /** For people: `fault "maintenance" opens`. */
  readonly text: string
  /**
   * The part of the text that quotes an answer. Reports without contents replace it.
   *
   * @internal
   */
  readonly quote?: string | undefined
  /** Set if it is about an error: where it happened, as a stack trace. */
  readonly stack?: string | undefined
  /** Set if it is a warning: its name, and the topic of the documentation about it. */
  readonly warning?: { readonly name: string; readonly docs: string } | undefined
}
