import { readJson } from '../../service/contract/answer-text.js'
import { NonFiniteNumber, nonFiniteJson } from '../../base/text/non-finite.js'
import { parseJson } from '../../base/text/json-text.js'
import { type Redaction, redactJson } from './redact-json.js'
import { binaryText, replacement, tooLarge } from './replaced-text.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { hiddenHeader } from '../../base/text/redaction/credentials.js'
import type { Secrets } from './secrets.js'

/** Whether a body is recorded event by event as it arrives, and not as a whole. */
export function isEventStream(headers: Readonly<Record<string, string>>): boolean {
  return /^\s*text\/event-stream\b/i.test(headers['content-type'] ?? '')
}

/** Returns a body without secrets, and without contents. */
export function redactBody(text: string, isStream: boolean, redaction: Redaction): string {
  if (text === '') return ''
  if (isStream) return redactEvents(text, redaction)
  return (
    redactedJson(text, redaction) ?? redactedLines(text, redaction) ?? redactedText(text, redaction)
  )
}

function redactedJson(text: string, redaction: Redaction): string | undefined {
  const parsed = parseJson(text)
  if (parsed !== undefined) return JSON.stringify(redactJson(parsed, redaction))
  // The service writes NaN and Infinity as Python does.
  const loose = /\b(?:NaN|Infinity)\b/.test(text) ? readJson(text) : undefined
  return loose && nonFiniteJson(withNonFinite(redactJson(loose.value, redaction)))
}

/** Marks the numbers that JSON has no word for. */
function withNonFinite(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return new NonFiniteNumber(value)
  if (Array.isArray(value)) return value.map(withNonFinite)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withNonFinite(part)]))
}

/** Redacts a text with one JSON value per line, such as training data. */
function redactedLines(text: string, redaction: Redaction): string | undefined {
  const lines = text.split('\n')
  const shown: string[] = []
  for (const line of lines) {
    const json = line.trim() === '' ? '' : redactedJson(line, redaction)
    if (json === undefined) return undefined
    shown.push(json)
  }
  return shown.join('\n')
}

/** Nothing is known about the text, so all of it may be contents. */
function redactedText(text: string, { secrets, contents }: Redaction): string {
  if (contents) return replacement(text.length)
  return text.includes('\uFFFD') ? binaryText(text.length) : secrets.redact(text)
}

const LINE_END = String.raw`(?:\r\n|\n|\r(?!\n))`
const EVENT_END = LINE_END + LINE_END

/** Redacts whole events of a stream. An event ends with an empty line. */
function redactEvents(text: string, redaction: Redaction): string {
  return text
    .split(new RegExp(`(?<=${EVENT_END})`))
    .map((event) => redactEvent(event, redaction))
    .join('')
}

/** Comments that only keep a connection open. */
const HEARTBEAT = /^:\s*(?:ping|keep-?alive|heartbeat)?(?:\s*[-\d:.TZ ]*)$/i

function redactEvent(event: string, redaction: Redaction): string {
  const lines: string[] = []
  const data: string[] = []
  for (const line of event.split(/\r\n|\n|\r/)) {
    const [, value] = /^data(?:: ?(.*))?$/s.exec(line) ?? []
    if (/^data(?::|$)/.test(line)) data.push(value ?? '')
    else if (line !== '') lines.push(redactField(line, redaction))
  }
  if (data.length > 0) {
    const text = data.join('\n')
    const shown = text === '[DONE]' ? text : redactedJson(text, redaction)
    lines.push(
      ...(shown ?? redactedText(text, redaction)).split('\n').map((line) => `data: ${line}`),
    )
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`
}

function redactField(line: string, { secrets, contents }: Redaction): string {
  const isStructure = /^(?:event|id|retry):/.test(line) || HEARTBEAT.test(line)
  if (!contents || isStructure) return secrets.redact(line)
  return line.startsWith(':') ? `: ${replacement(line.length - 1)}` : replacement(line.length)
}

/**
 * Redacts the text of a response while it arrives. A secret or a content that is split over two chunks is never
 * recorded in parts: the text waits until its event is complete.
 */
export class BodyRedactor {
  readonly #isStream: boolean
  readonly #redaction: Redaction
  #pieces: string[] = []
  #length = 0
  /** The end of the text so far, where an event may end. */
  #end = ''
  #skipped = 0

  constructor(isStream: boolean, redaction: Redaction) {
    this.#isStream = isStream
    this.#redaction = redaction
  }

  /** Adds text, and returns the part that is complete, without secrets and contents. It may be empty. */
  add(text: string): string {
    if (text === '') return ''
    if (this.#skipped > 0 || this.#length + text.length > LARGEST_BODY) {
      // Nothing can be parsed without its beginning.
      this.#skipped += this.#length + text.length
      this.#pieces = []
      this.#length = 0
      return ''
    }
    this.#pieces.push(text)
    this.#length += text.length
    this.#end = (this.#end + text).slice(-4 - text.length)
    return this.#isStream && new RegExp(EVENT_END).test(this.#end) ? this.#complete() : ''
  }

  #complete(): string {
    const text = this.#pieces.join('')
    let end = 0
    for (const found of text.matchAll(new RegExp(EVENT_END, 'g')))
      end = found.index + found[0].length
    const rest = text.slice(end)
    this.#pieces = rest === '' ? [] : [rest]
    this.#length = rest.length
    this.#end = rest.slice(-4)
    return end === 0 ? '' : redactBody(text.slice(0, end), this.#isStream, this.#redaction)
  }

  /** Returns what is left at the end. A part of an event or of a body can't be parsed. */
  finish(isComplete: boolean): string {
    if (this.#skipped > 0) return tooLarge(this.#skipped)
    const text = this.#pieces.join('')
    this.#pieces = []
    this.#length = 0
    if (text === '') return ''
    if (isComplete) return redactBody(text, this.#isStream, this.#redaction)
    const { contents, secrets } = this.#redaction
    return contents ? replacement(text.length) : secrets.redact(text, { isCut: true })
  }
}

/** The largest body that is recorded. A larger one is passed on, and only its length is recorded. */
export const LARGEST_BODY = 16 * 1024 * 1024

/** Headers whose values are recorded, apart from credentials. Others may hold anything. */
const KEPT_HEADERS =
  /^(?:accept(?:-encoding|-language|-ranges)?|age|allow|api-version|cache-control|connection|content-(?:encoding|language|length|range|type)|date|etag|expect|expires|host|idempotency-key|keep-alive|last-modified|location|origin|pragma|range|retry-after(?:-ms)?|server|te|trailer|transfer-encoding|upgrade|user-agent|vary|via|(?:x-)?(?:request|correlation|trace)-id|x-ratelimit-.*|x-rate-limit-.*|ratelimit-.*|ratelimit|x-should-retry|x-stainless-.*|traceparent|(?:openai|anthropic)-(?:version|beta|processing-ms|organization|project|model)|x-accel-buffering|x-powered-by|x-envoy-.*|x-process-time|server-timing|strict-transport-security|warning|www-authenticate|deprecation|sunset|link)$/i

/** Returns the value of a header without secrets. */
export function redactHeader(name: string, value: string, secrets: Secrets): string {
  const hidden = hiddenHeader(name, value)
  if (hidden !== undefined) return hidden
  return KEPT_HEADERS.test(name) ? secrets.redact(value) : HIDDEN
}
