import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hostHandler } from '../../../src/emulator/adapters/host-handler.js'
import { answer, type Handler } from '../../../src/emulator/adapters/node-http.js'
import type { ApiRequest, Outcome } from '../../../src/service/contract/exchange.js'
import { BackgroundErrors } from '../../../src/base/text/background-errors.js'
import { served } from '../../support/served.js'
import { request as written, talk } from './talk.js'

const LIMIT = 1000

/** A server that returns what it received, with a low body limit for tests. */
async function serving(handler: Handler): Promise<{ server: Server; port: number }> {
  const server = createServer({ maxHeaderSize: 1_000_000 }, (request, response) => {
    answer(handler, 'training', { request, response, bodyLimit: LIMIT })
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

const tellSize: Handler = (_host, { body }) => {
  const told =
    body === 'too-large' ? { status: 413, body } : { status: 200, body: String(body.length) }
  return Promise.resolve({ kind: 'response', headers: {}, ...told })
}

describe('the body of a request', () => {
  it.each([0, 1, LIMIT])('of %d bytes arrives complete', async (size) => {
    const { port } = await serving(tellSize)
    const [told] = await talk(
      port,
      written('POST /', { 'content-length': String(size) }, 'x'.repeat(size)),
    )
    expect(told).toMatchObject({ status: 200, body: String(size) })
  })

  it('arrives in pieces', async () => {
    const { port } = await serving(tellSize)
    const head = written('POST /', { 'transfer-encoding': 'chunked' })
    const [told] = await talk(port, head, '3\r\nabc\r\n', '2\r\nde\r\n', '0\r\n\r\n')
    expect(told).toMatchObject({ status: 200, body: '5' })
  })

  it('arrives byte for byte', async () => {
    const bytes = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('')
    const { port } = await serving((_host, { body }) =>
      Promise.resolve({
        kind: 'response',
        status: 200,
        headers: {},
        body: Buffer.from(body as Uint8Array).toString('hex'),
      }),
    )
    const [told] = await talk(port, written('POST /', {}, bytes))
    expect(told!.body).toBe(Buffer.from(bytes, 'latin1').toString('hex'))
  })

  it.each([
    ['announced', { 'content-length': String(LIMIT + 1) }],
    ['in chunks', { 'transfer-encoding': 'chunked' }],
  ])('is refused beyond the limit, %s', async (_name, headers) => {
    const { port } = await serving(tellSize)
    const size = (LIMIT + 1).toString(16)
    const body = 'x'.repeat(LIMIT + 1)
    const sent = 'content-length' in headers ? body : `${size}\r\n${body}\r\n0\r\n\r\n`
    const [told] = await talk(port, written('POST /', headers) + sent)
    expect(told).toMatchObject({ status: 413, body: 'too-large' })
  })

  it('is read to its end beyond the limit, so that the client gets the answer', async () => {
    const { port } = await serving(tellSize)
    const call = httpRequest({ port, method: 'POST' })
    // Far more than the buffers between the two hold.
    for (let piece = 0; piece < 200; piece++) call.write('x'.repeat(65_536))
    call.end()
    const [response] = (await once(call, 'response')) as [{ statusCode: number; resume(): void }]
    response.resume()
    expect(response.statusCode).toBe(413)
    if (!call.writableFinished) await once(call, 'finish')
  })

  it('is ignored if the client disconnects before its end', async () => {
    const heard: string[] = []
    const { server, port } = await serving((host, request) => {
      heard.push(request.path)
      return tellSize(host, request)
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(written('POST /half', { 'content-length': '100' }) + 'x'.repeat(50))
    const [incoming] = (await once(server, 'request')) as [NodeJS.ReadableStream]
    socket.destroy()
    await new Promise<void>((resolve) => void incoming.once('close', resolve))
    expect((await talk(port, written('POST /whole', {}, 'x')))[0]!.status).toBe(200)
    expect(heard).toEqual(['/whole'])
  })
})

describe('the target of a request', () => {
  // In quadratic time, it would take minutes.
  it.each(['[', '@a'])('is refused at once: a host of 400,000 %s', async (part) => {
    const { port } = await serving(tellSize)
    const [told] = await talk(port, written(`GET http://${part.repeat(400_000)}`))
    expect(told).toMatchObject({ status: 400 })
  })

  it.each([
    ['/a?b=c', '/a', 'b=c'],
    ['/a', '/a', ''],
    ['/a?', '/a', ''],
    ['/a?b=/c?d', '/a', 'b=/c?d'],
    ['//a//b', '//a//b', ''],
    ['/%zz/%2F?%', '/%zz/%2F', '%'],
    ['http://127.0.0.1:80/a?b', '/a', 'b'],
    ['http://127.0.0.1/a?b#c', '/a', 'b'],
    ['/a#b?c', '/a', ''],
    ['*', '*', ''],
  ])('%s', async (target, path, query) => {
    const heard: ApiRequest[] = []
    const { port } = await serving((host, request) => {
      heard.push(request)
      return tellSize(host, request)
    })
    await talk(port, written(`OPTIONS ${target}`))
    expect(heard[0]).toMatchObject({ path, query, method: 'OPTIONS', base: 'http://127.0.0.1' })
  })
})

function streaming(outcome: Outcome & { kind: 'stream' }): Handler {
  return () => Promise.resolve(outcome)
}

describe('a streamed response', () => {
  it('ends when the client disconnects', async () => {
    const ended = vi.fn<() => void>()
    const over = new Promise<void>((resolve) => void ended.mockImplementation(resolve))
    const chunks = (async function* () {
      try {
        for (;;) {
          yield 'x'.repeat(65_536)
          await Promise.resolve()
        }
      } finally {
        ended()
      }
    })()
    const { port } = await serving(streaming({ kind: 'stream', status: 200, headers: {}, chunks }))
    const socket = connect(port, '127.0.0.1')
    socket.write(written('GET /'))
    await once(socket, 'data')
    socket.destroy()
    await over
    expect(ended).toHaveBeenCalledOnce()
  })

  it('that breaks off does not look complete', async () => {
    const chunks = (async function* () {
      yield 'half'
      await Promise.reject(new Error('broken'))
    })()
    const { port } = await serving(streaming({ kind: 'stream', status: 200, headers: {}, chunks }))
    const read = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}`)).text()
    await expect(read()).rejects.toThrow(TypeError)
  })
})

const OK = { kind: 'response', status: 200, headers: {}, body: 'ok' } as const
const fail = (): never => {
  throw new TypeError('the cause of it')
}
const handlers: Record<string, Handler> = {
  'a handler throws': fail,
  'a handler rejects': async () => fail(),
  'a header is not valid': () => ({ ...OK, headers: { 'x-odd': 'one\ntwo' } }),
  'a status is not valid': () => ({ ...OK, status: 7 }),
  'a header of a stream is not valid': () => {
    return { ...OK, kind: 'stream', chunks: ['a'], headers: { 'x-odd': 'one\ntwo' } }
  },
}
it.each(Object.entries(handlers))(
  'an answer that cannot be made is a 500, and later calls are answered: %s',
  async (_, odd) => {
    const errors: string[] = []
    const background = new BackgroundErrors({ show: ({ text }) => errors.push(text) })
    const handler: Handler = (host, call) => (call.path === '/odd' ? odd(host, call) : OK)
    const service = hostHandler(handler, 'training', { background, receive: undefined })
    const port = Number(new URL(await served(service)).port)
    const [first] = await talk(port, written('GET /odd'))
    expect(first).toMatchObject({ status: 500, body: 'Internal Server Error' })
    const [second] = await talk(port, written('GET /'))
    expect(second).toMatchObject({ status: 200, body: 'ok' })
    expect(errors).toEqual([
      expect.stringMatching(/^Failed to (?:answer|write the answer to) GET \/odd: \w+/),
    ])
  },
)
