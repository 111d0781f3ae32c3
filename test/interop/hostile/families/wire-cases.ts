/** What stands at one place of a request in bytes, in tables. Each line is one case. */

export const MODEL = '{"project":"p","name":"w","base_model":"b","return_existing":true}'

const HEALTH = '/v1/health'

/** First lines of requests. */
export const LINES: readonly string[] = [
  'GET',
  'GET ',
  'GET /v1/health',
  'GET /v1/health ',
  'GET  /v1/health HTTP/1.1',
  ' GET /v1/health HTTP/1.1',
  ...['HTTP/1.2', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'HTTP/1.1 ', 'HTTP/1', 'HTTP/11'].map(
    (version) => `GET ${HEALTH} ${version}`,
  ),
  'GET /v1/health HTTPS/1.1',
  'FOO / HTTP/1.1',
  'get /v1/health HTTP/1.1',
  'G@T / HTTP/1.1',
  'GETT / HTTP/1.1',
  '\x16\x03\x01\x02',
  '',
  'GET /v1/hea lth HTTP/1.1',
  'GET\t/v1/health\tHTTP/1.1',
  'GET health HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'CONNECT localhost:80 HTTP/1.1',
  ...['\0', '/\x01', '/é', '/\x7f'].map((target) => `GET ${target} HTTP/1.1`),
  'PRI * HTTP/2.0',
  'M-SEARCH / HTTP/1.1',
  'SOURCE / HTTP/1.1',
]

/** Targets of requests. */
export const TARGETS: readonly string[] = [
  ...['#x', '#', '?a#b', '?#'].map((end) => HEALTH + end),
  '#',
  '/#/v1/health',
  '/v1/health/#x',
  'http://localhost:8000/v1/health',
  'http://other/v1/health',
  ...['h?x', 'h', 'h/', ''].map((rest) => `http://${rest}`),
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

const named = (name: string, values: readonly string[]): string[] =>
  values.map((value) => `${name}:${value}`)

/** Header lines. Some are two. */
export const HEADERS: readonly string[] = [
  'NoColon',
  ': empty',
  'Bad Name: x',
  'Name : x',
  ...named('X', [' a\0b', ' \x01', ' \x7f', ' é', '', '\t y ']),
  ' folded',
  'X: a\r\n folded',
  'X: a\nY: b',
  'X\0: y',
  'X(: y',
  '\tX: y',
  'X: a\rb',
  ...named('Content-Length', [' x', ' -1', ' +0', ' 0x0', ' 0, 0', '']),
  'Content-Length: 0\r\nContent-Length: 0',
  'Content-Length: 0\r\nContent-Length: 1',
  ...named('Content-Length', [' 00', ' 99999999999999999999']),
  'Transfer-Encoding: chunked\r\nContent-Length: 0',
  ...named('Transfer-Encoding', [' gzip', ' gzip, chunked', ' chunked, gzip']),
  ...named('Expect', [' 100-continue', ' nothing', '']),
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

/** Headers that name the host. */
export const HOSTS: readonly string[] = [
  ...named('Host', [
    ' localhost',
    ' 127.0.0.1',
    ' 127.0.0.1:',
    ' localhost:',
    ' LOCALHOST:1',
    ' [::1]',
    ' [::1]:80',
    '',
    ' ',
    ' localhost\r\nHost: localhost',
    ' localhost:x',
    ' training.example',
  ]),
  'host:localhost',
]

/** Bodies in chunks. */
export const CHUNKED: readonly string[] = [
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
