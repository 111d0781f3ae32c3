import type { Draw } from '../../../support/draw.js'
import type { Sent } from '../request.js'

/** Bytes on a connection: what a client library would never send. */

interface Raw {
  lines: readonly string[]
  body?: string
  /** The methods of the requests that get an answer. */
  methods?: readonly string[]
}

const MODEL = '{"project":"p","name":"w","base_model":"b","return_existing":true}'
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

const get = (...more: readonly string[]): string[] => [
  'GET /v1/health HTTP/1.1',
  HOST,
  CLOSE,
  ...more,
]
const post = (...more: readonly string[]): string[] => [
  'POST /v1/preview/models HTTP/1.1',
  HOST,
  CLOSE,
  AUTH,
  TYPE,
  ...more,
]

const LINES = [
  'GET',
  'GET ',
  'GET /v1/health',
  'GET /v1/health ',
  'GET  /v1/health HTTP/1.1',
  ' GET /v1/health HTTP/1.1',
  'GET /v1/health HTTP/1.2',
  'GET /v1/health HTTP/2.0',
  'GET /v1/health HTTP/0.9',
  'GET /v1/health http/1.1',
  'GET /v1/health HTTP/1.1 ',
  'GET /v1/health HTTP/1',
  'GET /v1/health HTTP/11',
  'GET /v1/health HTTPS/1.1',
  'FOO / HTTP/1.1',
  'get /v1/health HTTP/1.1',
  'G@T / HTTP/1.1',
  'GETT / HTTP/1.1',
  '\x16\x03\x01\x02',
  '',
  'GET /v1/hea lth HTTP/1.1',
  'GET	/v1/health	HTTP/1.1',
  'GET health HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT localhost:80 HTTP/1.1',
  'GET \0 HTTP/1.1',
  'GET /\x01 HTTP/1.1',
  'GET /é HTTP/1.1',
  'GET /\x7f HTTP/1.1',
  'PRI * HTTP/2.0',
  'M-SEARCH / HTTP/1.1',
  'SOURCE / HTTP/1.1',
]

const TARGETS = [
  '/v1/health#x',
  '/v1/health#',
  '/v1/health?a#b',
  '/v1/health?#',
  '#',
  '/#/v1/health',
  '/v1/health/#x',
  'http://localhost:8000/v1/health',
  'http://other/v1/health',
  'http://h?x',
  'http://h',
  'http://h/',
  'http://',
  'https://localhost/v1/health?limit=1',
  'http://u:p@localhost/v1/health',
  'HTTP://localhost/v1/health',
  'http://localhost:99999/v1/health',
  'http://[::1]/v1/health',
  '//localhost/v1/health',
  '///v1/health',
  '/v1/health?x=%',
  '/v1/%',
  '/%',
  '/%2',
  '/v1/h%65alth',
  '/v1%2Fhealth',
  '/%76%31/health',
  '/v1/health%00',
  '/v1/health;x',
  '/v1/./health',
  '/v1/x/../health',
  '/v1\\health',
  '/v1/health?',
  '/v1/health??',
  '?',
  '/?',
  'ftp://localhost/v1/health',
  'mailto:x',
  'localhost:8000',
  '/v1/health|',
  '/v1/"health"',
  '/<>',
  '/v1/^',
]

const HEADERS = [
  'NoColon',
  ': empty',
  'Bad Name: x',
  'Name : x',
  'X: a\0b',
  'X: \x01',
  'X: \x7f',
  'X: é',
  'X:',
  'X:	 y ',
  ' folded',
  'X: a\r\n folded',
  'X: a\nY: b',
  'X\0: y',
  'X(: y',
  '	X: y',
  'X: a\rb',
  'Content-Length: x',
  'Content-Length: -1',
  'Content-Length: +0',
  'Content-Length: 0x0',
  'Content-Length: 0, 0',
  'Content-Length:',
  'Content-Length: 0\r\nContent-Length: 0',
  'Content-Length: 0\r\nContent-Length: 1',
  'Content-Length: 00',
  'Content-Length: 99999999999999999999',
  'Transfer-Encoding: chunked\r\nContent-Length: 0',
  'Transfer-Encoding: gzip',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, gzip',
  'Expect: 100-continue',
  'Expect: nothing',
  'Expect:',
  'expect: 100-Continue',
  'Upgrade: websocket',
  'Upgrade: h2c\r\nConnection: Upgrade',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'TE: trailers',
  'Cookie: a=b',
  'Range: bytes=0-1',
  'If-None-Match: *',
  'Accept: text/html',
  'Accept-Encoding: gzip',
  'X-Forwarded-Proto: https',
  'X-HTTP-Method-Override: DELETE',
  `X: ${'y'.repeat(15e3)}`,
]

const HOSTS = [
  'Host: localhost',
  'Host: 127.0.0.1',
  'Host: 127.0.0.1:',
  'Host: localhost:',
  'Host: LOCALHOST:1',
  'Host: [::1]',
  'Host: [::1]:80',
  'Host:',
  'Host: ',
  'Host: localhost\r\nHost: localhost',
  'Host: localhost:x',
  'Host: training.example',
  'host:localhost',
]

const CHUNKED = [
  '0\r\n\r\n',
  '2\r\n{}\r\n0\r\n\r\n',
  '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n',
  '2;ext=1\r\n{}\r\n0\r\n\r\n',
  '02\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}\r\n0\r\nX: trailer\r\n\r\n',
  '2 \r\n{}\r\n0\r\n\r\n',
  '2\n{}\n0\n\n',
  'x\r\n{}\r\n0\r\n\r\n',
  '-2\r\n{}\r\n0\r\n\r\n',
  '2\r\n{}x\r\n0\r\n\r\n',
  '0x2\r\n{}\r\n0\r\n\r\n',
  '\r\n',
  `${MODEL.length.toString(16)}\r\n${MODEL}\r\n0\r\n\r\n`,
  'ffffffffffffffffff\r\n',
]

const kinds: readonly ((draw: Draw) => Sent)[] = [
  (draw) => raw({ lines: [draw.oneOf(LINES), HOST, CLOSE], methods: ['GET'] }),
  (draw) => {
    const method = draw.oneOf(['GET', 'GET', 'GET', 'POST', 'HEAD'])
    return raw({ lines: [`${method} ${draw.oneOf(TARGETS)} HTTP/1.1`, HOST, CLOSE] })
  },
  (draw) => raw({ lines: get(AUTH, draw.oneOf(HEADERS)) }),
  (draw) => raw({ lines: get(draw.oneOf(HEADERS), AUTH) }),
  (draw) => {
    const header = draw.oneOf(HEADERS.filter((each) => !/content-length|transfer/i.test(each)))
    return raw({ lines: post(header, `Content-Length: ${MODEL.length}`), body: MODEL })
  },
  (draw) => {
    const host = draw.isHit(0.2) ? [] : [draw.oneOf(HOSTS)]
    const path = draw.oneOf(['/v1/health', '/v1/health/', '/v1/nothing'])
    return raw({ lines: [`GET ${path} HTTP/1.1`, ...host, CLOSE, AUTH] })
  },
  (draw) => raw({ lines: post('Transfer-Encoding: chunked'), body: draw.oneOf(CHUNKED) }),
  (draw) => {
    const host = draw.isHit(0.5) ? [HOST] : []
    const path = draw.oneOf([
      '/v1/health',
      '/v1/health/',
      '/v1/preview/models/x/checkpoints?limit=0',
    ])
    const keep = draw.oneOf(['X: y', 'Connection: keep-alive', CLOSE])
    return raw({ lines: [`${draw.oneOf(['GET', 'HEAD'])} ${path} HTTP/1.0`, ...host, keep, AUTH] })
  },
  // Several requests at once. The answers come in order.
  (draw) => {
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
  },
  (draw) =>
    raw({
      lines: post(`Content-Length: ${MODEL.length}`),
      body: MODEL + draw.oneOf(['\r\n', ' x', '\0']),
    }),
  (draw) =>
    raw({
      lines: post('Expect: 100-continue', 'Content-Length: 2'),
      body: draw.oneOf(['{}', '[]']),
    }),
]

export const wire = (draw: Draw): Sent => draw.oneOf(kinds)(draw)
