import { fromJson } from '../../service/contract/jinja/python.js'
import { toJson } from '../../service/contract/jinja/write.js'
import { levelsOf } from '../../base/text/json-scan.js'
import { parseBoundedJson } from '../../base/text/json-text.js'
import { charactersOf, joinBytes, toBase64 } from '../../base/text/bytes.js'
import { escapeUnit } from '../../base/text/escape.js'
import { sameBytes } from '../../base/text/same-bytes.js'

/** A body that a sender may have signed instead of the one that it sent. */
export interface AlteredBody {
  /** Completes "it was made over …". */
  readonly what: string
  readonly bytes: Uint8Array
  /** Whether it is seldom signed: a check of a receiver tries it with the right form alone. */
  readonly rare: boolean
}

/** Yields the bodies of common mistakes, likeliest first: JSON serialized again, changed line ends, … */
export function* alteredBodies(body: Uint8Array): Generator<AlteredBody> {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  const encoder = new TextEncoder()
  const seen = new Set([text])
  for (const rare of [false, true]) {
    for (const [what, altered] of rare ? rareTexts(text, body) : usualTexts(text)) {
      if (seen.has(altered)) continue
      seen.add(altered)
      yield { what, bytes: encoder.encode(altered), rare }
    }
  }
  for (const [what, bytes] of encodedOtherwise(text)) {
    if (!sameBytes(bytes, body)) yield { what, bytes, rare: true }
  }
}

/**
 * Yields the body with what senders put in front of it before they sign: each time and id that the delivery
 * itself has, and each time in seconds and in milliseconds.
 */
export function* prefixedBodies(
  body: Uint8Array,
  headers: readonly [name: string, value: string][],
): Generator<AlteredBody> {
  const text = new TextDecoder().decode(body)
  const ids = headers.filter(([name]) => ID_HEADER.test(name)).slice(0, MOST_CLUES)
  const values = [...headers.map(([, value]) => value), text]
  const times = new Set(values.flatMap((value) => value.match(TIME) ?? []).slice(0, MOST_CLUES))
  for (const [what, time] of [...times].flatMap(formsOfTime)) {
    for (const [name, id] of ids) {
      yield prefixed(body, `${id}.${time}.`, `the header ${name}, ${what} and the body`)
    }
    for (const prefix of [`${time}.`, `${time}:`, time, `${time}\n`, `v0:${time}:`]) {
      yield prefixed(body, prefix, `the body with ${what} in front (${JSON.stringify(prefix)})`)
    }
  }
  for (const [name, id] of ids) {
    for (const prefix of [`${id}.`, id]) {
      yield prefixed(body, prefix, `the body with the header ${name} in front`)
    }
  }
}

/** More of them would take too long, and no sender has them. */
const MOST_CLUES = 8
const ID_HEADER = /(?:^|-)(?:id|delivery)$/i
const TIME = /(?<!\d)\d{10}(?:\d{3})?(?!\d)|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g

function formsOfTime(written: string): [what: string, time: string][] {
  const sent: [string, string] = [`the time ${written}`, written]
  const moment = written.length === 10 ? Number(written) * 1000 : Number(written)
  const at = Number.isNaN(moment) ? Date.parse(written) : moment
  if (Number.isNaN(at)) return [sent]
  return [
    sent,
    [`the time ${written} in milliseconds`, String(at)],
    [`the time ${written} in seconds`, String(Math.floor(at / 1000))],
  ]
}

function prefixed(body: Uint8Array, prefix: string, what: string): AlteredBody {
  return { what, bytes: joinBytes([new TextEncoder().encode(prefix), body]), rare: true }
}

type AlteredTexts = Generator<[what: string, altered: string]>

function* usualTexts(text: string): AlteredTexts {
  yield ['the body without its byte order mark', text.replace(/^\uFEFF/, '')]
  // Before JSON: what is compact but for a line end was not serialized again.
  yield ['the body with a line end added', `${text}\n`]
  yield [
    'the body without the line end at its end, which an editor or echo adds',
    text.replace(/\r?\n$/, ''),
  ]
  yield ['the body with CRLF line ends', text.replaceAll(/\r?\n/g, '\r\n')]
  yield ['the body with LF line ends', text.replaceAll('\r\n', '\n')]
  yield ['the body without the whitespace around it', text.trim()]
  const value = readJson(text)
  if (value !== undefined) {
    const sorted = sortKeys(value)
    yield [`${AGAIN} (compact, as JSON.stringify writes it)`, JSON.stringify(value)]
    yield [`${AGAIN} (as Python's json.dumps writes it)`, escapeWide(spacedJson(value))]
    yield [`${AGAIN} (compact, keys sorted)`, JSON.stringify(sorted)]
    yield [
      `${AGAIN} (as Python's json.dumps writes it, keys sorted)`,
      escapeWide(spacedJson(sorted)),
    ]
    yield [`${AGAIN} (compact, other than ASCII escaped)`, escapeWide(JSON.stringify(value))]
    for (const indent of isIndentable(text) ? [2, 4] : []) {
      yield [`${AGAIN} (indented by ${indent})`, JSON.stringify(value, null, indent)]
    }
    if (typeof value === 'string') yield ['the text inside the JSON string', value]
  }
  yield ['the body with a byte order mark', `\uFEFF${text}`]
  yield ['the body decoded as UTF-8 and encoded again', text]
  yield ['an empty body', '']
  yield ['the text {}', '{}']
}

function* rareTexts(text: string, body: Uint8Array): AlteredTexts {
  const value = readJson(text)
  if (value !== undefined) {
    yield ['the JSON of the JSON text, which is encoded twice', JSON.stringify(text)]
    yield* escaped('as sent', text)
    const layouts = isIndentable(text) ? LAYOUTS : FLAT_LAYOUTS
    for (const [order, ordered] of [
      ['', value],
      [', keys sorted', sortKeys(value)],
    ] as const) {
      for (const [layout, write] of layouts) {
        yield [`${AGAIN} (${layout}${order})`, write(ordered)]
        yield* escaped(`${layout}${order}`, write(ordered))
      }
    }
  }
  yield ['the base64 of the body', toBase64(body)]
  yield ["b'…' around the body, as Python writes bytes", `b'${text}'`]
  yield ['the body read as latin1', latin1Of(body)]
}

const AGAIN = 're-serialized JSON, not the bytes that were sent'

function readJson(text: string): unknown {
  return parseBoundedJson(text.replace(/^\uFEFF/, ''))
}

/** What need not be UTF-8: the bytes in base64, and other encodings, which have no bytes for some characters. */
function* encodedOtherwise(text: string): Generator<[what: string, bytes: Uint8Array]> {
  yield ['the body decoded from base64', lowBytes(charactersOf(text.trim()))]
  const lossy = text.replaceAll(/[\u0100-\uffff]/g, '?')
  yield ['the body encoded as latin1, not as UTF-8', lowBytes(lossy)]
  yield ['the body encoded as latin1, not as UTF-8', lowBytes(text)]
  const ascii = text.replaceAll(/[\u0080-\uffff]/g, '?')
  yield ['the body encoded as ASCII, with ? for other characters', lowBytes(ascii)]
  yield [
    'the body encoded as ASCII, with ? for other characters',
    lowBytes(text.replaceAll(/[^\0-\u007f]/gu, '?')),
  ]
}

function lowBytes(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

function latin1Of(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

type Layout = [name: string, write: (value: unknown) => string]

const FLAT_LAYOUTS: readonly Layout[] = [
  ['compact', (value) => JSON.stringify(value)],
  ['spaces after commas and colons', spacedJson],
]

const LAYOUTS: readonly Layout[] = [
  ...FLAT_LAYOUTS,
  ...[1, 2, 3, 4, '\t'].map((indent): Layout => {
    const by = indent === '\t' ? 'tabs' : indent
    return [`indented by ${by}`, (value) => JSON.stringify(value, null, indent)]
  }),
]

/** Yields a JSON text with the characters escaped that some languages escape. */
function* escaped(layout: string, json: string): AlteredTexts {
  const html = json.replaceAll(/[<>&\u2028\u2029]/g, escapeUnit)
  const slashes = json.replaceAll('/', String.raw`\/`)
  const strict = json.replaceAll(/(?<!\\)[<>&'+`]|[\u007f-\uffff]/g, upperEscape)
  const named = (how: string): string => `${AGAIN} (${layout}, ${how})`
  yield [named('other than ASCII escaped'), escapeWide(json)]
  yield [named(String.raw`< > & escaped as \u003c, as Go and Rails do`), html]
  yield [named('< > & and other than ASCII escaped'), escapeWide(html)]
  yield [named('slashes escaped'), slashes]
  yield [named('slashes and other than ASCII escaped, as PHP does'), escapeWide(slashes)]
  yield [named(String.raw`escaped as \u003C, as .NET does`), strict]
}

function upperEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}

/** Whether a text is not too long to be indented. Each line of a deep value begins with as many spaces as it has levels. */
function isIndentable(text: string): boolean {
  return text.length * levelsOf(text) <= MOST_INDENTED
}

/** Characters times levels. */
const MOST_INDENTED = 10_000_000

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sortKeys(inner)]))
}

/** JSON with a space after each comma and colon, as Python writes it. */
function spacedJson(value: unknown): string {
  return toJson(fromJson(value))
}

function escapeWide(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, escapeUnit)
}
