import * as z from 'zod'

/** Where recorded calls come from. */
export type RecordedKind = 'recording' | 'har' | 'report'

const moment = z.number()
const headers = z.record(z.string(), z.string())

/** The first line. */
const start = z.object({
  type: z.literal('recording'),
  version: z.number(),
  /** ISO 8601, in UTC. */
  started_at: z.string(),
  training_url: z.string(),
  inference_url: z.string(),
  /** Whether the contents of messages were replaced. */
  contents: z.enum(['redacted', 'recorded']),
})

/** A request, written before it is passed on. */
const request = z.object({
  type: z.literal('request'),
  /** From 1. */
  id: z.number(),
  at: moment,
  host: z.enum(['training', 'inference']),
  method: z.string(),
  /** Below the base URL, such as `/preview/models`. */
  path: z.string(),
  /** Without `?`. */
  query: z.string(),
  /** With names in lower case, without keys. */
  headers,
  /** As text, after redaction. Missing: there was none. */
  body: z.string().exactOptional(),
})

/** The status and the headers of a response. */
const response = z.object({
  type: z.literal('response'),
  id: z.number(),
  at: moment,
  status: z.number(),
  headers,
})

/** Text of a response. A response that is not a stream of events has one chunk at most. */
const chunk = z.object({ type: z.literal('chunk'), id: z.number(), at: moment, text: z.string() })

/** The end of an exchange. Missing in a recording that was cut off. */
const end = z.object({
  type: z.literal('end'),
  id: z.number(),
  at: moment,
  /**
   * `complete`; `lost`: the connection to the service ended before the response did, or never began;
   * `unreached`: the service was never reached until then, so the recorder answered the client;
   * `client_left`: the client closed its connection.
   */
  how: z.enum(['complete', 'lost', 'unreached', 'client_left']),
  /** Why it was lost. */
  error: z.string().exactOptional(),
})

/**
 * A line of a recording. A line is written as soon as it is known, so a recording that was cut off has all
 * lines but the last one. All `at` are milliseconds since the first line, on the clock of the recorder.
 */
export const recordingLine = z.discriminatedUnion('type', [start, request, response, chunk, end])

/** The types of lines. */
export const lineTypes = recordingLine.options.map(({ shape }) => shape.type.value)

export type RecordingLine = Readonly<z.infer<typeof recordingLine>>
export type RecordingStart = Extract<RecordingLine, { type: 'recording' }>
export type RecordedRequest = Extract<RecordingLine, { type: 'request' }>
export type ResponseStart = Extract<RecordingLine, { type: 'response' }>
export type ResponseEnd = Extract<RecordingLine, { type: 'end' }>
