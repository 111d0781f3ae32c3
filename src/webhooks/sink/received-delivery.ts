import { EMPTY_BODY, type ApiRequest } from '../../service/contract/exchange.js'
import { JSON_BOUNDS, parseBoundedJson, parseJson } from '../../base/text/json-text.js'
import { levelsOf } from '../../base/text/json-scan.js'
import { showAs } from '../../base/text/show-as.js'
import { toIso } from '../../base/text/iso.js'
import { redactedHeaders } from '../../base/text/redaction/credentials.js'
import { toBase64 } from '../../base/text/bytes.js'
import type { Diagnosis } from '../signature/diagnosis.js'
import type { Verdict, Verification } from '../signature/verify.js'

/** What the sink found out about a delivery. */
export interface Findings extends Verification {
  /** Counts up from 1 within a sink; a sink with a file continues its count. */
  readonly ordinal: number
  /** Milliseconds since the epoch, on the emulator's clock if there is one. */
  readonly at: number
  readonly diagnosis: Diagnosis | undefined
  /** What else is wrong: the access token, the content type, or the method. */
  readonly problems: readonly string[]
  readonly duplicateOf: string | undefined
  readonly sameBytesAs: string | undefined
  /** The id of the journal entry that led to it. */
  readonly cause: number | undefined
  readonly deliveryId: string | undefined
  readonly latency: number | undefined
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** A delivery that the sink received, as it arrived, and what the sink found out about it. */
export class ReceivedDelivery {
  /** Its number: `1`, `2`, … */
  readonly id: string
  /** When it arrived, in milliseconds since the epoch, on the emulator's clock if there is one. */
  readonly at: number
  /** The HTTP method, in upper case. */
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** The query, without the question mark. Empty if there is none. */
  readonly query: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they arrived. */
  readonly raw: Uint8Array
  /** Whether the signature is valid, missing or invalid, or can't be verified. */
  readonly verdict: Verdict
  /** Which secret made a valid signature: `secret "previous"`, `secret 2`, or `the secret` if there is one only. */
  readonly secret: string | undefined
  /** Why the signature is missing or invalid. */
  readonly diagnosis: Diagnosis | undefined
  /** What else is wrong: the access token, the content type, or the method. */
  readonly problems: readonly string[]
  /** The id of the first record of the same delivery. Never set by equal bytes alone. */
  readonly duplicateOf: string | undefined
  /**
   * The id of the first record with the same bytes, if the delivery has no id. It may be a
   * redelivery, or another event with the same payload.
   */
  readonly sameBytesAs: string | undefined
  /** The id of the journal entry that led to it, if an emulator sent it. */
  readonly cause: number | undefined
  /** The id of the emulator's delivery. Undefined for a request of another sender. */
  readonly deliveryId: string | undefined
  /** Milliseconds between its event and its arrival, if the event is known. */
  readonly latency: number | undefined
  #body: { value: unknown } | undefined

  constructor(request: ApiRequest, findings: Findings) {
    this.id = String(findings.ordinal)
    this.at = findings.at
    this.method = request.method
    this.path = request.path
    this.query = request.query
    this.headers = request.headers
    this.raw = request.body === 'too-large' ? EMPTY_BODY : request.body
    this.verdict = findings.verdict
    this.secret = findings.secret
    this.diagnosis = findings.diagnosis
    this.problems = findings.problems
    this.duplicateOf = findings.duplicateOf
    this.sameBytesAs = findings.sameBytesAs
    this.cause = findings.cause
    this.deliveryId = findings.deliveryId
    this.latency = findings.latency
    showAs(this, 'ReceivedDelivery', this.toJSON.bind(this))
  }

  /** The body as text. */
  get text(): string {
    return decoder.decode(this.raw)
  }

  /** The value of the JSON body; undefined if it is not JSON, or has more than 200 levels. */
  get body(): unknown {
    return (this.#body ??= { value: valueOf(this.text) }).value
  }

  /** The `event_type` of the payload, if it has one, and at most 1 MB. */
  get event(): string | undefined {
    if (this.raw.length > JSON_BOUNDS.characters) return undefined
    const { event_type } = (this.body ?? {}) as { event_type?: unknown }
    return typeof event_type === 'string' ? event_type : undefined
  }

  /**
   * Formats the delivery for people: `3: POST /hook, RUN_STATE, invalid`.
   *
   * @example
   * for (const delivery of sink.deliveries) console.log(delivery.toString())
   */
  toString(): string {
    const event = this.event === undefined ? '' : `, ${this.event}`
    return `${this.id}: ${this.method} ${this.path}${event}, ${this.verdict}${this.#formatRepeats()}`
  }

  #formatRepeats(): string {
    if (this.duplicateOf !== undefined) return `, duplicate of ${this.duplicateOf}`
    return this.sameBytesAs === undefined ? '' : `, same bytes as ${this.sameBytesAs}`
  }

  /**
   * Returns everything except the access token, for `JSON.stringify`. The raw body is `text`, or `base64`
   * if it is not UTF-8.
   *
   * @example
   * console.log(JSON.stringify(sink.deliveries, null, 2))
   */
  toJSON(): Readonly<Record<string, unknown>> {
    return { ...this.#record(this.text), body: this.body }
  }

  /**
   * Formats the delivery as one line of JSON. It contains a JSON body of at most 1 MB as it arrived.
   *
   * @example
   * const lines = sink.deliveries.map((delivery) => delivery.toLine())
   */
  toLine(): string {
    const { text } = this
    const record = JSON.stringify(this.#record(text))
    // The parsed body is not kept: holding thousands of them costs more than reading a few again.
    if (parseBoundedJson(text) === undefined) return record
    return `${record.slice(0, -1)},"body":${onOneLine(text)}}`
  }

  #record(text: string): Readonly<Record<string, unknown>> {
    const { raw: _raw, headers, ...rest } = this
    const base64 = this.#base64(text)
    return {
      ...rest,
      at: toIso(rest.at),
      problems: rest.problems.length === 0 ? undefined : rest.problems,
      headers: redactedHeaders(headers, (value) => value),
      text: base64 === undefined ? text : undefined,
      base64,
    }
  }

  /** The base64 of bytes that are not UTF-8. */
  #base64(text: string): string | undefined {
    // Strict decoding reads the bytes again; nearly all bodies need none.
    if (!text.includes('\uFFFD')) return undefined
    try {
      strict.decode(this.raw)
      return undefined
    } catch {
      return toBase64(this.raw)
    }
  }
}

/** A value that is deeper cannot be written again. */
function valueOf(json: string): unknown {
  return levelsOf(json) > JSON_BOUNDS.levels ? undefined : parseJson(json)
}

/** Replaces line breaks by spaces. In JSON, they stand only between tokens. */
function onOneLine(json: string): string {
  const isOneLine = !json.includes('\n') && !json.includes('\r')
  return isOneLine ? json : json.replaceAll(/[\r\n]+/g, ' ')
}
