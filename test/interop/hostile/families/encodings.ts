import { gzipSync } from 'node:zlib'
import type { Draw } from '../../../support/draw.js'
import { calls, spoil } from '../bodies.js'
import { JSON_TYPE, KEY, request, type Family, type Headers } from '../request.js'
import { textOf } from '../tree.js'

/** The bytes of a body, and what its headers say about them. */
export const encodings: Family = (draw, known, index) => {
  const call = calls[draw.oneOf(['model', 'team', 'steps'])]!(draw, known, index)
  const text = textOf(draw.isHit(0.6) ? spoil(call.body, draw) : call.body)
  return request({ ...call, headers: [KEY, JSON_TYPE], body: encoded(text, draw) })
}

function encoded(text: string, draw: Draw): Buffer {
  const utf8 = Buffer.from(text)
  const at = draw.upTo(utf8.length)
  const inserted = (bytes: readonly number[]): Buffer =>
    Buffer.concat([utf8.subarray(0, at), Buffer.from(bytes), utf8.subarray(at)])
  return draw.oneOf<() => Buffer>([
    () => Buffer.from(`\uFEFF${text}`),
    () => Buffer.from(`\uFEFF\uFEFF${text}`),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from(`\uFEFF${text}`, 'utf16le'),
    () => Buffer.from(text, 'utf16le').swap16(),
    () => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
    () => utf32(text, 'little'),
    () => utf32(text, 'big'),
    () => utf32(`\uFEFF${text}`, draw.oneOf(['little', 'big'])),
    () => Buffer.from(text, 'latin1'),
    () => inserted([0x80 + draw.below(0x80)]),
    () => inserted([0xc0, 0x80]),
    () => inserted([0xed, 0xa0 + draw.below(0x20), 0x80 + draw.below(0x40)]),
    () => inserted([0xf4, 0x90, 0x80, 0x80]),
    () => inserted([0xe2, 0x82]),
    () => inserted([0]),
    () => Buffer.concat([utf8, Buffer.from([0, 0, 0])]),
    () => Buffer.from(text, 'utf16le').subarray(0, -1),
    () => gzipSync(utf8),
    () => Buffer.from([0xff, 0xfe]),
    () => Buffer.from([0xef, 0xbb]),
  ])()
}

function utf32(text: string, order: 'little' | 'big'): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0)!)
  const bytes = Buffer.alloc(points.length * 4)
  points.forEach((point, index) => {
    if (order === 'little') bytes.writeUInt32LE(point, index * 4)
    else bytes.writeUInt32BE(point, index * 4)
  })
  return bytes
}

const MAIN = [
  'application',
  'application',
  'application',
  'APPLICATION',
  'text',
  '*',
  '',
  'multipart',
]
const SUB = [
  'json',
  'JSON',
  'ld+json',
  '+json',
  'json+xml',
  'x-json',
  'jsonp',
  'plain',
  'octet-stream',
  '',
]
const MORE = [
  '',
  '',
  '; charset=utf-8',
  ';charset=utf-16',
  ' ;x',
  '; a="b;c"',
  ', text/plain',
  '/x',
  ' json',
  '\t',
]

/** What a body is said to be. */
export const contentTypes: Family = (draw, known, index) => {
  const call = calls[draw.oneOf(['model', 'steps', 'sft', 'chat', 'log'])]!(draw, known, index)
  const body = draw.isHit(0.5) ? spoil(call.body, draw) : call.body
  const type = `${draw.oneOf(MAIN)}${draw.oneOf(['/', '/', '/', '', ' / '])}${draw.oneOf(SUB)}${draw.oneOf(MORE)}`
  const text = draw.oneOf([textOf(body), textOf(body), '{', '"text"', '\u00E9', ''])
  const headers = draw.oneOf<() => Headers>([
    () => [['Content-Type', type]],
    () => [['Content-Type', type]],
    () => [['content-type', type], JSON_TYPE],
    () => [JSON_TYPE, ['content-type', type]],
    () => [],
    () => [['Content-Type', '']],
    () => [JSON_TYPE, ['Content-Encoding', draw.oneOf(['gzip', 'identity', 'x'])]],
  ])()
  return request({ ...call, headers: [KEY, ...headers], body: text })
}
