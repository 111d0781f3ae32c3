import { METHODS } from '../interop/hostile/families/addresses.js'
import { wire } from '../interop/hostile/families/wire.js'
import type { Draw } from '../support/draw.js'
import { utterances } from './vandals.js'

/** A connection to the proxy that means no good. */
export interface Visit {
  /** What is odd about it, for the table. */
  readonly kind: string
  /** The tunnel that it asks for first. None: it speaks to the proxy itself. */
  readonly tunnel?: { readonly authority: string; readonly isSecure: boolean }
  readonly bytes: Buffer
  /** How it leaves after a while. */
  readonly leaves: 'politely' | 'at once' | 'with a reset' | 'never'
  /** Whether it waits for an answer, or leaves before most answers come. */
  readonly waits: boolean
}

/** A host that the proxy answers by default. */
export const INTERCEPTED = 'api.training.wandb.ai'

/** A name in requests that stand in the body of another one, or behind a body that has no clear end. */
export const SMUGGLED = 'never-asked-for'

const KINDS: Readonly<Record<string, (draw: Draw) => Omit<Visit, 'kind' | 'leaves' | 'waits'>>> = {
  'odd tunnels': (draw) => toProxy(`${connectLine(draw)}\r\nhost: x\r\n\r\n${tail(draw)}`),
  'odd request lines': (draw) => toProxy(wire(draw).bytes),
  'odd URLs': (draw) => {
    const line = `${draw.oneOf(ODD_METHODS)} ${oddUrl(draw)} HTTP/1.1`
    return toProxy(`${line}\r\nhost: ${draw.oneOf(HOSTS)}\r\n\r\n`)
  },
  'unclear bodies': (draw) => toProxy(unclear(draw, `http://${draw.oneOf(HOSTS)}`)),
  'unclear bodies in tunnels': (draw) => inTunnel(draw, unclear(draw)),
  'huge headers': (draw) => {
    const text = `GET http://${draw.oneOf(HOSTS)}/v1/health HTTP/1.1\r\n${hugeHeaders(draw)}\r\n`
    return draw.isHit(0.5) ? toProxy(text) : inTunnel(draw, text)
  },
  garbage: (draw) => {
    const bytes = noise(draw, 1 + draw.below(300))
    return draw.isHit(0.5) ? toProxy(bytes) : inTunnel(draw, bytes)
  },
  'torn requests': (draw) => {
    const text = draw.oneOf(utterances)(noise(draw, 1 + draw.below(60)).toString('latin1'))
    return draw.isHit(0.5) ? toProxy(text) : inTunnel(draw, text)
  },
  'odd request lines in tunnels': (draw) => {
    const text = wire(draw).bytes.toString('latin1')
    return inTunnel(draw, text.replaceAll('localhost:8000', INTERCEPTED))
  },
  // The handshake is the first thing in a tunnel. These tunnels end before it, or in it.
  'broken TLS': (draw) => {
    const tunnel = { authority: `${INTERCEPTED}:443`, isSecure: false }
    return { tunnel, bytes: brokenHandshake(draw) }
  },
}

/** The same draws make the same connection. */
export function drawVisit(draw: Draw): Visit {
  const kind = draw.oneOf(Object.keys(KINDS))
  const { bytes, ...visit } = KINDS[kind]!(draw)
  // Half of a request, or a part of a byte sequence.
  const isCut = draw.isHit(0.2)
  return {
    kind,
    ...visit,
    bytes: isCut ? bytes.subarray(0, draw.below(bytes.length)) : bytes,
    leaves: draw.oneOf(['politely', 'at once', 'with a reset', 'never']),
    waits: draw.isHit(0.6),
  }
}

type Spoken = Pick<Visit, 'tunnel' | 'bytes'>

function toProxy(said: string | Buffer): Spoken {
  return { bytes: Buffer.isBuffer(said) ? said : Buffer.from(said, 'latin1') }
}

function inTunnel(draw: Draw, said: string | Buffer): Spoken {
  const isSecure = draw.isHit(0.6)
  // Plain HTTP is spoken on the other port.
  const authority = `${INTERCEPTED}:${isSecure ? 443 : 80}`
  return { ...toProxy(said), tunnel: { authority, isSecure } }
}

const ODD_METHODS = [...METHODS, 'M-SEARCH', 'get', 'NONE', 'G\0T', 'A'.repeat(5000)]

/** Hosts that are answered, refused, or no hosts at all. None of them is allowed. */
const HOSTS = [
  INTERCEPTED,
  `${INTERCEPTED}.`,
  INTERCEPTED.toUpperCase(),
  `${INTERCEPTED}:443`,
  `${INTERCEPTED}:8443`,
  `user:pass@${INTERCEPTED}`,
  `${INTERCEPTED}@other.test`,
  `other.test\\@${INTERCEPTED}`,
  'other.test',
  'other.test:0',
  'other.test:65536',
  'other.test:-1',
  'other.test:443:443',
  '127.0.0.1',
  '127.1',
  '0',
  '0x7f000001',
  '2130706433',
  '127.0.0.1.:80',
  '[::1]',
  '[::1]:1',
  '[::ffff:127.0.0.1]:80',
  '[',
  ']',
  '[]',
  '[::1',
  '[v1.x]:80',
  '.',
  '..',
  '...:443',
  'a..b:443',
  '*',
  '%',
  '%00',
  '%2e%2e:443',
  '\0',
  `a\0${INTERCEPTED}:443`,
  '\xff\xfe:443',
  'xn--:443',
  'localhost',
  '__proto__:443',
  'constructor:80',
  '',
  ':',
  ':443',
  `${'a'.repeat(300)}.test:443`,
  `${'a.'.repeat(4000)}test:443`,
]

function connectLine(draw: Draw): string {
  const target = draw.oneOf([
    ...HOSTS,
    ...HOSTS.map((host) => `${host}:443`),
    '/',
    '*',
    'http://x/',
  ])
  return draw.oneOf([
    `CONNECT ${target} HTTP/1.1`,
    `CONNECT ${target} HTTP/1.1`,
    `CONNECT ${target} HTTP/1.1`,
    `CONNECT ${target} HTTP/1.0`,
    `CONNECT ${target} HTTP/2.0`,
    `CONNECT ${target}`,
    `CONNECT  ${target}  HTTP/1.1`,
    `connect ${target} HTTP/1.1`,
  ])
}

/** What follows a request for a tunnel, before the tunnel is open. */
function tail(draw: Draw): string {
  return draw.oneOf([
    '',
    '',
    '\r\n',
    request('GET', '/v1/health'),
    '\x16\x03\x01\x02\0\x01\0',
    '\0',
  ])
}

function oddUrl(draw: Draw): string {
  const scheme = draw.oneOf(['http://', 'HTTP://', 'https://', 'ftp://', 'http:/', 'http:', '//'])
  const path = draw.oneOf([
    '',
    '/',
    '/v1/health',
    '/v1/health#x',
    '?',
    '/\0',
    '/%zz',
    '/..//..',
    '\\',
  ])
  return `${scheme}${draw.oneOf(HOSTS)}${path}`
}

function request(method: string, target: string, ...lines: readonly string[]): string {
  return [`${method} ${target} HTTP/1.1`, `host: ${INTERCEPTED}`, ...lines, '', ''].join('\r\n')
}

/** Bodies that two readers can end at two places. In each of them is a request that nobody made. */
function unclear(draw: Draw, origin = ''): string {
  const inner = request('GET', `/v1/preview/models/${SMUGGLED}`)
  const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`
  const [lines, body] = draw.oneOf<readonly [readonly string[], string]>([
    [['content-length: 5', 'content-length: 6'], `abcde${inner}`],
    [['content-length: 5, 6'], `abcde${inner}`],
    [['content-length: +5'], `abcde${inner}`],
    [['content-length: 0x5'], `abcde${inner}`],
    [['content-length: -1'], inner],
    [['content-length : 5'], `abcde${inner}`],
    [['content-length: 5', 'transfer-encoding: chunked'], chunk],
    [['transfer-encoding: chunked', `content-length: ${chunk.length}`], chunk],
    [['transfer-encoding: chunked'], chunk],
    [['transfer-encoding : chunked'], chunk],
    [['transfer-encoding: xchunked', 'content-length: 5'], `abcde${inner}`],
    [['transfer-encoding: chunked, identity'], chunk],
    [['transfer-encoding: \x0bchunked'], chunk],
    [['transfer-encoding: chunked'], `ffffffffffffffff1\r\n${inner}`],
    [['transfer-encoding: chunked'], `-1\r\n${inner}`],
    [['transfer-encoding: chunked'], `0x3\r\nabc\r\n${inner}`],
    [['transfer-encoding: chunked'], `3 ;\r\nabcd${inner}`],
    [['transfer-encoding: chunked'], `zz\r\n${inner}`],
    [['transfer-encoding: chunked'], `3\nabc\n0\n\n${inner}`],
    [[`content-length: ${inner.length}`], inner],
    [['expect: 100-continue', `content-length: ${inner.length}`], inner],
    [['upgrade: websocket', 'connection: upgrade', `content-length: ${inner.length}`], inner],
  ])
  const method = draw.oneOf(['GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT'])
  return request(method, `${origin}/v1/preview/models`, ...lines) + body
}

/** 100 kB and more, in one header or in many. */
function hugeHeaders(draw: Draw): string {
  const size = 100_000
  return draw.oneOf([
    `x: ${'y'.repeat(size)}\r\n`,
    'x: y\r\n'.repeat(size / 6),
    `${'x'.repeat(size)}: y\r\n`,
    `cookie: ${'a=b; '.repeat(size / 5)}\r\n`,
    // It never ends.
    'x: y'.repeat(size / 4),
  ])
}

function noise(draw: Draw, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => draw.below(256)))
}

/** No handshake, one of a very old version, one with wrong lengths, an alert, or one that is cut. */
function brokenHandshake(draw: Draw): Buffer {
  const random = noise(draw, 32)
  const hello = Buffer.concat([
    Buffer.from('16030100310100002d0303', 'hex'),
    random,
    Buffer.from('000002c02f01000002ff0100', 'hex'),
  ])
  return draw.oneOf([
    Buffer.alloc(1),
    Buffer.alloc(1000),
    hello,
    hello.subarray(0, 20),
    Buffer.concat([Buffer.from('1603010fff', 'hex'), random]),
    Buffer.concat([Buffer.from('160301ffff', 'hex'), noise(draw, 70)]),
    Buffer.from('15030100020230', 'hex'),
    Buffer.from('80440100020030000000100000', 'hex'),
    Buffer.from(request('GET', '/v1/health'), 'latin1'),
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
    random,
  ])
}
