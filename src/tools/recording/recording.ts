import type { Host } from '../../service/contract/exchange.js'

/** Where recorded calls come from. */
export type RecordedKind = 'recording' | 'har' | 'report'

/** The file in the folder of a recording. Each line is one JSON object, a `RecordingLine`. */
export const RECORDING_FILE = 'recording.ndjson'

/**
 * A line of a recording. A line is written as soon as it is known, so a recording that was cut off has all
 * lines but the last one. All `at` are milliseconds since the first line, on the clock of the recorder.
 */
export type RecordingLine =
  | RecordingStart
  | RecordedRequest
  | ResponseStart
  | ResponseChunk
  | ResponseEnd

/** The first line. */
export interface RecordingStart {
  readonly type: 'recording'
  readonly version: 1
  /** ISO 8601, in UTC. */
  readonly started_at: string
  readonly training_url: string
  readonly inference_url: string
  /** Whether the contents of messages were replaced. */
  readonly contents: 'redacted' | 'recorded'
}

/** A request, written before it is passed on. */
export interface RecordedRequest {
  readonly type: 'request'
  /** From 1. */
  readonly id: number
  readonly at: number
  readonly host: Host
  readonly method: string
  /** Below the base URL, such as `/preview/models`. */
  readonly path: string
  /** Without `?`. */
  readonly query: string
  /** With names in lower case, without keys. */
  readonly headers: Readonly<Record<string, string>>
  /** As text, after redaction. Missing: there was none. */
  readonly body?: string
}

/** The status and the headers of a response. */
export interface ResponseStart {
  readonly type: 'response'
  readonly id: number
  readonly at: number
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** Text of a response. A response that is not a stream of events has one chunk at most. */
export interface ResponseChunk {
  readonly type: 'chunk'
  readonly id: number
  readonly at: number
  readonly text: string
}

/** The end of an exchange. Missing in a recording that was cut off. */
export interface ResponseEnd {
  readonly type: 'end'
  readonly id: number
  readonly at: number
  /**
   * `complete`; `lost`: the connection to the service ended before the response did, or never began;
   * `client_left`: the client closed its connection.
   */
  readonly how: 'complete' | 'lost' | 'client_left'
  /** Why it was lost. */
  readonly error?: string
}
