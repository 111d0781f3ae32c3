import { parseJson } from '../../base/text/json-text.js'
import { escapeUnit } from '../../base/text/escape.js'
import { sameBytes } from '../../base/text/same-bytes.js'

/** A body that a sender may have signed instead of the one that it sent. */
export interface AlteredBody {
  /** Completes "it was made over …". */
  readonly what: string
  readonly bytes: Uint8Array
}

/** Yields the bodies of common mistakes, likeliest first: JSON serialized again, changed line ends, … */
export function* alteredBodies(body: Uint8Array): Generator<AlteredBody> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const encoder = new TextEncoder()
  for (const [what, altered] of alteredTexts(text)) {
    const bytes = encoder.encode(altered)
    if (!sameBytes(bytes, body)) yield { what, bytes }
  }
}

function* alteredTexts(text: string): Generator<[what: string, altered: string]> {
  yield* rewritten(text)
  yield ['the body with a line end added', `${text}\n`]
  yield ['the body without the line end at its end', text.replace(/\r?\n$/, '')]
  yield ['the body with CRLF line ends', text.replaceAll(/\r?\n/g, '\r\n')]
  yield ['the body with LF line ends', text.replaceAll('\r\n', '\n')]
  yield ['the body without the whitespace around it', text.trim()]
  yield ['the body without its byte order mark', text.replace(/^\uFEFF/, '')]
  yield ['the body with a byte order mark', `\uFEFF${text}`]
  yield ['the body decoded as UTF-8 and encoded again', text]
  yield ['an empty body', '']
  yield ['the text {}', '{}']
}

function* rewritten(text: string): Generator<[what: string, altered: string]> {
  const value = parseJson(text)
  if (value === undefined) return
  const sorted = sortKeys(value)
  const again = 're-serialized JSON, not the bytes that were sent'
  yield [`${again} (compact, as JSON.stringify writes it)`, JSON.stringify(value)]
  yield [`${again} (as Python's json.dumps writes it)`, pythonJson(value)]
  yield [`${again} (compact, keys sorted)`, JSON.stringify(sorted)]
  yield [`${again} (as Python's json.dumps writes it, keys sorted)`, pythonJson(sorted)]
  yield [`${again} (compact, other than ASCII escaped)`, escapeWide(JSON.stringify(value))]
  for (const indent of [2, 4]) {
    yield [`${again} (indented by ${indent})`, JSON.stringify(value, null, indent)]
  }
  if (typeof value === 'string') yield ['the text inside the JSON string', value]
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]))
}

function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return escapeWide(JSON.stringify(value))
  const fields = Object.entries(value).map(([name, inner]) => {
    return `${escapeWide(JSON.stringify(name))}: ${pythonJson(inner)}`
  })
  return `{${fields.join(', ')}}`
}

function escapeWide(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, escapeUnit)
}
