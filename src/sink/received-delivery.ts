import type { ApiRequest } from '../contract/exchange.js'
import { EMPTY_BODY } from '../contract/exchange.js'
import { isJson } from '../text/json-text.js'
import { toIso } from '../text/iso.js'
import { toBase64InParts } from '../signature/base64.js'
import type { Diagnosis } from '../signature/diagnosis.js'
import type { Verdict, Verification } from '../signature/verify.js'

/** What the sink found out about a delivery besides what it holds. */
export interface Findings extends Verification {
  /** Counts up from 1 within one sink, and goes on where its file ends. */
  readonly ordinal: number
  /** Milliseconds since the epoch, on the emulator's clock where there is one. */
  readonly at: number
  readonly diagnosis: Diagnosis | undefined
  /** What else is not as it should be: the access token, the content type, the method. */
  readonly problems: readonly string[]
  readonly duplicateOf: string | undefined
  readonly sameBytesAs: string | undefined
  /** The journal entry that led to it. */
  readonly cause: number | undefined
  readonly latency: number | undefined
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const strict = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** Something that was sent to the sink, as it came, and what is to be said of it. */
export class ReceivedDelivery {
  /** Its number: `1`, `2`, … */
  readonly id: string
  readonly at: number
  readonly method: string
  readonly path: string
  readonly query: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they came. */
  readonly raw: Uint8Array
  readonly verdict: Verdict
  /** Of a valid one, the label of the secret that it was signed with. */
  readonly secret: string | undefined
  /** Of any other, why. */
  readonly diagnosis: Diagnosis | undefined
  /** What else is not as it should be: the access token, the content type, the method. */
  readonly problems: readonly string[]
  /** The id of the first record of the same delivery. Never set by equal bytes alone. */
  readonly duplicateOf: string | undefined
  /**
   * The id of the first record with the same bytes, if the delivery has no id. It may be a
   * redelivery, or another event with the same payload.
   */
  readonly sameBytesAs: string | undefined
  /** The journal entry that led to it, where an emulator sent it. */
  readonly cause: number | undefined
  /** Milliseconds since the event that caused it, where that is known. */
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
    this.latency = findings.latency
  }

  /** The body as text. */
  get text(): string {
    return decoder.decode(this.raw)
  }

  /** The body as JSON; undefined where it is none. */
  get body(): unknown {
    return (this.#body ??= { value: parsed(this.text) }).value
  }

  /** The payload's `event_type`, where it has one. */
  get event(): string | undefined {
    const { event_type } = (this.body ?? {}) as { event_type?: unknown }
    return typeof event_type === 'string' ? event_type : undefined
  }

  /** In words: `3: POST /hook, RUN_STATE, invalid`. */
  toString(): string {
    const event = this.event === undefined ? '' : `, ${this.event}`
    return `${this.id}: ${this.method} ${this.path}${event}, ${this.verdict}${this.#repeated()}`
  }

  #repeated(): string {
    if (this.duplicateOf !== undefined) return `, duplicate of ${this.duplicateOf}`
    return this.sameBytesAs === undefined ? '' : `, same bytes as ${this.sameBytesAs}`
  }

  /** All of it; the body as `text`, or as `base64` where it is no UTF-8; an access token is left out. */
  toJSON(): Readonly<Record<string, unknown>> {
    return { ...this.#told(this.text), body: this.body }
  }

  /** The same as one line of JSON, in which the body, where it is JSON, stands as it came. */
  toLine(): string {
    const { text } = this
    const told = JSON.stringify(this.#told(text))
    // Read and forgotten: what is held of thousands of deliveries costs more than reading some again.
    if (!isJson(text)) return told
    return `${told.slice(0, -1)},"body":${onOneLine(text)}}`
  }

  #told(text: string): Readonly<Record<string, unknown>> {
    const { id, at, method, path, query, headers, verdict, secret, diagnosis } = this
    const { problems, duplicateOf, sameBytesAs, cause, latency } = this
    const base64 = this.#base64(text)
    return {
      id,
      at: toIso(at),
      method,
      path,
      query,
      verdict,
      secret,
      diagnosis,
      problems: problems.length === 0 ? undefined : problems,
      duplicateOf,
      sameBytesAs,
      cause,
      latency,
      headers: withoutToken(headers),
      text: base64 === undefined ? text : undefined,
      base64,
    }
  }

  /** Of bytes that are no UTF-8. */
  #base64(text: string): string | undefined {
    // Reading it strictly takes a second time; nearly all are plain text.
    if (!text.includes('\uFFFD')) return undefined
    try {
      strict.decode(this.raw)
      return undefined
    } catch {
      return toBase64InParts(this.raw)
    }
  }
}

/** In JSON, a line's end stands between its words alone. */
function onOneLine(json: string): string {
  const isOne = !json.includes('\n') && !json.includes('\r')
  return isOne ? json : json.replaceAll(/[\r\n]+/g, ' ')
}

function withoutToken(headers: ReceivedDelivery['headers']): ReceivedDelivery['headers'] {
  const { authorization } = headers
  if (authorization === undefined) return headers
  const scheme = /^\S*/.exec(authorization)![0]
  return { ...headers, authorization: `${scheme} …` }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
