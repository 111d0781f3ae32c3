import type { Draw } from '../../support/draw.js'
import { textOf, type Tree } from './tree.js'

/** What exists on both sides. */
export interface Known {
  readonly model: string
  readonly job: string
  readonly entity: string
}

/** A request in bytes, and what the comparison has to know about it. */
export interface Sent {
  readonly method: string
  /** As in the request line. */
  readonly target: string
  /** Empty if the bytes are not made of headers and a body. */
  readonly headers: Headers
  readonly bytes: Buffer
  /** The methods of the requests in the bytes, each of which gets an answer. */
  readonly methods: readonly string[]
}

/** Makes the requests of one family. `index` is a number that no other request has. */
export type Family = (draw: Draw, known: Known, index: number) => Sent

export type Headers = readonly (readonly [name: string, value: string])[]

export const HOST: Headers[number] = ['Host', 'localhost:8000']
export const KEY: Headers[number] = ['Authorization', 'Bearer k']
export const JSON_TYPE: Headers[number] = ['Content-Type', 'application/json']

interface Parts {
  method: string
  target: string
  headers?: Headers
  body?: Buffer | string | Tree
}

/** A well-formed request with a host, its length, and the connection closed after the answer. */
export function request({ method, target, headers = [KEY], body }: Parts): Sent {
  const content = body === undefined ? undefined : contentOf(body)
  const length: Headers = content === undefined ? [] : [['Content-Length', String(content.length)]]
  const lines = [HOST, ['Connection', 'close'] as const, ...headers, ...length]
  const head = [`${method} ${target} HTTP/1.1`, ...lines.map(([name, text]) => `${name}: ${text}`)]
  const bytes = Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    content ?? Buffer.alloc(0),
  ])
  return { method, target, headers, bytes, methods: [method] }
}

/** The body of a well-formed request. */
export function bodyOf({ bytes }: Sent): Buffer {
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
}

function contentOf(body: Buffer | string | Tree): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : textOf(body))
}

/** A request with a key and a body that says it is JSON. */
export function json(method: string, target: string, body: Buffer | string | Tree): Sent {
  return request({ method, target, headers: [KEY, JSON_TYPE], body })
}

/** A text as a part of a path or a query. Half a pair becomes U+FFFD, because no URL can have it. */
export function escaped(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

/** The path that a router sees: without an origin, a query and escapes of ASCII. */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  return path.replaceAll(/%[0-7][0-9a-f]/gi, decodeURIComponent)
}
