import type { Draw } from '../../../support/draw.js'
import type { Sent } from '../request.js'
import { CHUNKED, HEADERS, HOSTS, LINES, MODEL, TARGETS } from './wire-cases.js'

/** Bytes on a connection: what a client library would never send. */

interface Raw {
  lines: readonly string[]
  body?: string
  /** The methods of the requests that get an answer. */
  methods?: readonly string[]
}

const AUTH = 'Authorization: Bearer k'
const TYPE = 'Content-Type: application/json'
const HOST = 'Host: localhost:8000'
const CLOSE = 'Connection: close'

function raw({ lines, body = '', methods }: Raw): Sent {
  const [first = ''] = lines
  const [method = '', target = ''] = first.trim().split(/\s+/)
  return {
    method,
    target,
    headers: [],
    bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1'),
    methods: methods ?? [method],
  }
}

function get(...more: readonly string[]): Sent {
  return raw({ lines: ['GET /v1/health HTTP/1.1', HOST, CLOSE, ...more] })
}

function post(body: string, ...more: readonly string[]): Sent {
  return raw({
    lines: ['POST /v1/preview/models HTTP/1.1', HOST, CLOSE, AUTH, TYPE, ...more],
    body,
  })
}

const WHOLE = `Content-Length: ${MODEL.length}`
/** The headers that leave it to others where the body ends. */
const HARMLESS = HEADERS.filter((each) => !/content-length|transfer/i.test(each))

/** What is odd about a request. */
const kinds: Readonly<Record<string, (draw: Draw) => Sent>> = {
  line: (draw) => raw({ lines: [draw.oneOf(LINES), HOST, CLOSE], methods: ['GET'] }),
  target(draw) {
    const method = draw.oneOf(['GET', 'GET', 'GET', 'POST', 'HEAD'])
    return raw({ lines: [`${method} ${draw.oneOf(TARGETS)} HTTP/1.1`, HOST, CLOSE] })
  },
  'header after the key': (draw) => get(AUTH, draw.oneOf(HEADERS)),
  'header before the key': (draw) => get(draw.oneOf(HEADERS), AUTH),
  'header of a body': (draw) => post(MODEL, draw.oneOf(HARMLESS), WHOLE),
  host(draw) {
    const host = draw.isHit(0.2) ? [] : [draw.oneOf(HOSTS)]
    const path = draw.oneOf(['/v1/health', '/v1/health/', '/v1/nothing'])
    return raw({ lines: [`GET ${path} HTTP/1.1`, ...host, CLOSE, AUTH] })
  },
  chunks: (draw) => post(draw.oneOf(CHUNKED), 'Transfer-Encoding: chunked'),
  'old version': (draw) => {
    const host = draw.isHit(0.5) ? [HOST] : []
    const list = '/v1/preview/models/x/checkpoints?limit=0'
    const path = draw.oneOf(['/v1/health', '/v1/health/', list])
    const keep = draw.oneOf(['X: y', 'Connection: keep-alive', CLOSE])
    return raw({ lines: [`${draw.oneOf(['GET', 'HEAD'])} ${path} HTTP/1.0`, ...host, keep, AUTH] })
  },
  'several at once': severalAtOnce,
  'more than the body': (draw) => post(MODEL + draw.oneOf(['\r\n', ' x', '\0']), WHOLE),
  'a body on demand': (draw) =>
    post(draw.oneOf(['{}', '[]']), 'Expect: 100-continue', 'Content-Length: 2'),
}

/** The answers come in order. */
function severalAtOnce(draw: Draw): Sent {
  const methods = Array.from({ length: 2 + draw.upTo(2) }, () =>
    draw.oneOf(['GET', 'HEAD', 'POST', 'PUT', 'BAD']),
  )
  const parts = methods.map((method, index) => {
    const last = index === methods.length - 1 ? [CLOSE] : []
    if (method !== 'POST') return [`${method} /v1/health HTTP/1.1`, HOST, AUTH, ...last, '', '']
    const body = draw.oneOf(['{}', '{', MODEL])
    const length = `Content-Length: ${body.length}`
    return [`POST /v1/preview/models HTTP/1.1`, HOST, AUTH, TYPE, length, ...last, '', body]
  })
  const end = methods.indexOf('BAD')
  const bytes = Buffer.from(parts.map((part) => part.join('\r\n')).join(''), 'latin1')
  const answered = end < 0 ? methods : methods.slice(0, end + 1)
  return { method: methods[0]!, target: '/v1/health', headers: [], bytes, methods: answered }
}

export const wire = (draw: Draw): Sent => draw.oneOf(Object.values(kinds))(draw)
