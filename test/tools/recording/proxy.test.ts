import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as sendRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { brotliCompressSync, gzipSync, createGzip } from 'node:zlib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RecordingProxy } from '../../../src/tools/recording/proxy.js'
import type { EndedExchange } from '../../../src/tools/recording/proxied-exchange.js'
import { Recorder } from '../../../src/tools/recording/recorder.js'
import type { RecordingLine } from '../../../src/tools/recording/recording.js'
import { Secrets } from '../../../src/tools/recording/secrets.js'
import { urlsOf } from '../../../src/emulator/adapters/port-url.js'
import { served, type Service } from '../../support/served.js'
import { until } from '../../support/until.js'

/** A service that a test writes, and a proxy in front of it. */
async function proxied(
  service: Service | string,
  { contents = false, failed }: { contents?: boolean; failed?: (text: string) => void } = {},
) {
  const trainingUrl = typeof service === 'string' ? service : await served(service)
  const lines: RecordingLine[] = []
  const ended: EndedExchange[] = []
  const proxy = new RecordingProxy({
    recorder: new Recorder({
      trainingUrl,
      contents,
      failed,
      write: (line) => lines.push(JSON.parse(line) as RecordingLine),
    }),
    trainingUrl,
    inferenceUrl: trainingUrl,
    ended: (exchange) => ended.push(exchange),
  })
  const listening = await proxy.listen({})
  onTestFinished(() => proxy.close())
  const { training, inference } = urlsOf(listening)
  const ends = (): RecordingLine[] => lines.filter(({ type }) => type === 'end')
  return { url: training, inference, lines, ended, ends, trainingUrl, proxy }
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) text += chunk
  return text
}

describe('an error of recording', () => {
  const KEY = 'sk-0123456789abcdefghij'
  const NO_ROOM = new SyntaxError(`Invalid regular expression: /${KEY}/: too large`)
  const UNREADABLE = '[not recorded: its secrets cannot be removed]'

  /** Makes calls whose secrets cannot be removed in one way. */
  async function failing(name: 'redact' | 'addHeader', isSo: (text: string) => boolean) {
    const real = Secrets.prototype[name] as (...args: string[]) => string
    const spy = vi.spyOn(Secrets.prototype, name).mockImplementation(function (
      this: Secrets,
      ...args: string[]
    ) {
      if (args.some(isSo)) throw NO_ROOM
      return real.apply(this, args)
    })
    onTestFinished(() => spy.mockRestore())
    const escaped: unknown[] = []
    const note = (error: unknown): void => void escaped.push(error)
    process.on('uncaughtException', note).on('unhandledRejection', note)
    onTestFinished(
      () => void process.off('uncaughtException', note).off('unhandledRejection', note),
    )
    const logged: string[] = []
    const proxy = await proxied(
      (request, response) => {
        request.resume().on('end', () => {
          response.writeHead(500, { 'content-type': 'application/json' })
          response.end('{"detail":"boom happened"}')
        })
      },
      { contents: true, failed: (text) => logged.push(text) },
    )
    const call = async (): Promise<string> => {
      const answer = await fetch(`${proxy.url}/v1/jobs?page=2`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: '{"name":"odd"}',
      })
      return `${answer.status} ${await answer.text()}`
    }
    expect(await call()).toBe('500 {"detail":"boom happened"}')
    expect(await call()).toBe('500 {"detail":"boom happened"}')
    await until('both calls are recorded', () => proxy.ends().length === 2)
    expect(escaped).toEqual([])
    const all = JSON.stringify([proxy.lines, logged, proxy.ended])
    expect(all).not.toContain(KEY)
    return { ...proxy, logged }
  }

  it('in the body of a request leaves out the body', async () => {
    const { lines, logged } = await failing('redact', (text) => text === 'odd')
    expect(lines[1]).toMatchObject({ type: 'request', path: '/jobs', body: UNREADABLE })
    expect(lines[2]).toMatchObject({ type: 'response', status: 500 })
    expect(lines[3]).toMatchObject({ type: 'chunk', text: '{"detail":"boom happened"}' })
    expect(logged[0]).toMatch(/^Failed to record the body of call 1: SyntaxError/)
    expect(logged).toHaveLength(2)
  })

  it('in the body of a response leaves out the body', async () => {
    const { lines, ended } = await failing('redact', (text) => text === 'boom happened')
    expect(lines[1]).toMatchObject({ body: '{"name":"odd"}' })
    expect(lines.slice(2, 5)).toMatchObject([
      { type: 'response', status: 500 },
      { type: 'chunk', text: UNREADABLE },
      { type: 'end', how: 'complete' },
    ])
    expect(ended).toMatchObject([{ status: 500 }, { status: 500 }])
  })

  it('in the credentials of a call leaves out all that may show them', async () => {
    const { lines } = await failing('addHeader', (text) => text === 'authorization')
    expect(lines.slice(1, 5)).toMatchObject([
      { type: 'request', method: 'POST', path: `/${UNREADABLE}`, query: '', body: UNREADABLE },
      { type: 'response', status: 500 },
      { type: 'chunk', text: UNREADABLE },
      { type: 'end', how: 'complete' },
    ])
  })

  it('of everything still passes all calls on', async () => {
    const { lines } = await failing('redact', () => true)
    expect(lines.map(({ type }) => type).filter((type) => type === 'end')).toHaveLength(2)
  })
})

describe('RecordingProxy', () => {
  it('passes the method, the path, the query, headers and the body on as they are', async () => {
    const { url } = await proxied(async (request, response) => {
      const { method, url: target, rawHeaders, headers } = request
      const body = await textOf(request)
      response.writeHead(207, 'Many Things', [
        'X-Odd-Case',
        'one',
        'x-odd-case',
        'two',
        'Set-Cookie',
        'a=1',
      ])
      response.end(JSON.stringify({ method, target, rawHeaders, host: headers.host, body }))
    })
    const sending = sendRequest(`${url}/v1/a%2Fb/ü?x=1&x=%202`, {
      method: 'PATCH',
      headers: {
        'X-Custom-Header': 'value',
        Connection: 'X-Hop, keep-alive',
        'X-Hop': 'mine',
        'Content-Length': 5,
      },
    })
    sending.end('hello')
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    const seen = JSON.parse(await textOf(response)) as Record<string, unknown>
    expect(seen).toMatchObject({
      method: 'PATCH',
      target: '/v1/a%2Fb/%C3%BC?x=1&x=%202',
      body: 'hello',
    })
    expect(seen.rawHeaders).toContain('X-Custom-Header')
    expect(seen.rawHeaders).not.toContain('X-Hop')
    expect(seen.host).not.toBe(new URL(url).host)
    expect(response.statusCode).toBe(207)
    expect(response.statusMessage).toBe('Many Things')
    expect(response.rawHeaders.join()).toContain('X-Odd-Case,one,x-odd-case,two,Set-Cookie,a=1')
  })

  it('passes a stream on chunk by chunk', async () => {
    let more = (): void => {}
    const { url, lines, ends } = await proxied((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"n":1}\n\n')
      more = () => response.end('data: {"n":2}\n\ndata: [DONE]\n\n')
    })
    const response = await fetch(`${url}/v1/stream`)
    const reader = response.body!.getReader()
    const read = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value)
    expect(await read()).toBe('data: {"n":1}\n\n')
    more()
    expect(await read()).toBe('data: {"n":2}\n\ndata: [DONE]\n\n')
    expect((await reader.read()).done).toBe(true)
    await until('the end is recorded', () => ends().length === 1)
    expect(lines.map(({ type }) => type)).toEqual([
      'recording', 'request', 'response', 'chunk', 'chunk', 'end',
    ]) // oxfmt-ignore
  })

  it('sends the headers of a response before its body', async () => {
    let finish = (): void => {}
    const { url } = await proxied((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      finish = () => response.end()
    })
    const response = await fetch(url)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    finish()
    expect(await response.text()).toBe('')
  })

  it.each([
    ['gzip, at once', (text: string) => [gzipSync(text)]],
    [
      'gzip, in pieces',
      (text: string) => Array.from(gzipSync(text), (byte) => Buffer.from([byte])),
    ],
  ])('passes compressed bytes on, and records their text: %s', async (_name, encode) => {
    const { url, lines, ends } = await proxied((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      for (const piece of encode('{"id":"m-1","n":7}')) response.write(piece)
      response.end()
    })
    const response = await fetch(url)
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(await response.json()).toEqual({ id: 'm-1', n: 7 })
    await until('the end is recorded', () => ends().length === 1)
    expect(lines).toContainEqual(expect.objectContaining({ text: '{"id":"m-1","n":7}' }))
  })

  it('records the events of a compressed stream as they come', async () => {
    let finish = (): void => {}
    const { url, lines } = await proxied((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' })
      const gzip = createGzip()
      gzip.pipe(response)
      gzip.write('data: {"n":1}\n\n')
      gzip.flush()
      finish = () => gzip.end()
    })
    const response = await fetch(url)
    await until('the event is recorded', () => lines.some(({ type }) => type === 'chunk'))
    finish()
    expect(await response.text()).toBe('data: {"n":1}\n\n')
  })

  it.each<[string, (body: string) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('records the last answers whole, in %s, when it is closed', async (encoding, compress) => {
    // Small on its way, and long to decode.
    const body = JSON.stringify({ status: 'ended', padding: ' '.repeat(8_000_000) })
    const { url, lines, ends, proxy } = await proxied(
      (_request, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
          .end(compress(body))
      },
      { contents: true },
    )
    // The client does not decode it, so it has its answer at once.
    const [response] = (await once(sendRequest(url).end(), 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    await proxy.close()
    expect(ends()).toMatchObject([{ how: 'complete' }])
    const texts = lines.flatMap((line) => (line.type === 'chunk' ? [line.text] : []))
    expect(texts.join('') === body).toBe(true)
  })

  it('records a compressed request', async () => {
    const { url, lines } = await proxied((request, response) =>
      request.on('end', () => response.end()).resume(),
    )
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    await fetch(url, { method: 'POST', headers, body: gzipSync('{"model":"m"}') })
    expect(lines[1]).toMatchObject({ body: '{"model":"m"}' })
  })

  it('says which request it cannot decode', async () => {
    const failed = vi.fn<(text: string) => void>()
    const { url, lines } = await proxied(
      (request, response) => request.on('end', () => response.end()).resume(),
      { failed },
    )
    const headers = { 'content-encoding': 'zip', 'content-type': 'application/json' }
    await fetch(`${url}/v1/preview/models`, { method: 'POST', headers, body: '{"model":"m"}' })
    expect(lines[1]).toMatchObject({ body: '[not recorded: 13 bytes]' })
    expect(failed.mock.calls.flat()).toEqual([
      expect.stringMatching(
        /^Failed to decode the body of call 1, POST \/preview\/models: its content-encoding is "zip", and this Node decodes gzip, deflate, br/,
      ),
    ])
  })

  it.each(['gzip', 'br'])(
    'misses nothing of an answer in %s that was not sent',
    async (encoding) => {
      const failed = vi.fn<(text: string) => void>()
      const compress = encoding === 'br' ? brotliCompressSync : gzipSync
      const half = compress('{"models":[]}'.repeat(50)).subarray(0, 20)
      const { url, ends, proxy } = await proxied(
        (request, response) => {
          response.writeHead(200, { 'content-encoding': encoding, 'content-length': 100 })
          if (request.method === 'HEAD') response.end()
          else response.write(half)
        },
        { failed },
      )
      await fetch(url, { method: 'HEAD' })
      // A client that leaves half-way has a half, too.
      const request = sendRequest(url).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      await once(response, 'data')
      request.destroy()
      await until('both ended', () => ends().length === 2)
      await proxy.close()
      expect(ends()).toMatchObject([{ how: 'complete' }, { how: 'client_left' }])
      expect(failed).not.toHaveBeenCalled()
    },
  )

  it('passes large bodies on, and records only their size', async () => {
    const large = Buffer.alloc(40 * 1024 * 1024, 'a')
    const { url, lines, ends } = await proxied(async (request, response) => {
      const hash = createHash('sha256')
      for await (const chunk of request) hash.update(chunk as Buffer)
      response.setHeader('x-request-id', hash.digest('hex'))
      response.end(large)
    })
    const response = await fetch(url, { method: 'POST', body: large })
    const expected = createHash('sha256').update(large).digest('hex')
    expect(response.headers.get('x-request-id')).toBe(expected)
    expect(Buffer.from(await response.arrayBuffer()).equals(large)).toBe(true)
    await until('the end is recorded', () => ends().length === 1)
    expect(lines[1]).toMatchObject({ body: '[not recorded: 41943040 bytes]' })
    expect(lines).toContainEqual(
      expect.objectContaining({ type: 'chunk', text: '[not recorded: 41943040 characters]' }),
    )
  })

  it('records a request before the service has all of it', async () => {
    const seen: number[] = []
    const { url, lines } = await proxied((request, response) => {
      request.on('end', () => {
        seen.push(lines.length)
        response.end()
      })
      request.resume()
    })
    await fetch(url, { method: 'POST', body: '{}' })
    await fetch(url)
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    })
    await fetch(url, { method: 'POST', body: stream, duplex: 'half' } as RequestInit)
    expect(seen[0]).toBe(2)
    expect(lines.filter(({ type }) => type === 'request')).toHaveLength(3)
  })

  it('leads a redirect to the service through the proxy', async () => {
    const { url, lines } = await proxied((request, response) => {
      if (request.url === '/v1/new') return void response.end('{}')
      const own = `http://${request.headers.host!}`
      response
        .writeHead(307, {
          location: request.url === '/v1/out' ? `${own}.example/` : `${own}/v1/new`,
        })
        .end()
    })
    const away = await fetch(`${url}/v1/out`, { redirect: 'manual' })
    expect(away.headers.get('location')).toMatch(/\.example\/$/)
    const followed = await fetch(`${url}/v1/old`)
    expect(followed.url).toBe(`${url}/v1/new`)
    expect(lines.filter(({ type }) => type === 'request')).toHaveLength(3)
  })

  it('passes early hints on', async () => {
    const { url } = await proxied((_request, response) => {
      response.writeEarlyHints({ link: '</a>; rel=preload' }, () => response.end('done'))
    })
    const sending = sendRequest(url)
    const hints = once(sending, 'information') as Promise<[{ statusCode: number; headers: object }]>
    sending.end()
    const [{ statusCode, headers }] = await hints
    expect([statusCode, headers]).toEqual([103, { link: '</a>; rel=preload' }])
  })

  it.each(['HEAD', 'OPTIONS', 'DELETE'])('passes %s on', async (method) => {
    const { url } = await proxied((request, response) => {
      response.writeHead(200, { 'content-length': request.method === 'HEAD' ? 1234 : 0 }).end()
    })
    const response = await fetch(url, { method })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-length')).toBe(method === 'HEAD' ? '1234' : '0')
  })

  it('answers a client that asks whether to continue', async () => {
    const { url } = await proxied(
      async (request, response) => void response.end(await textOf(request)),
    )
    const sending = sendRequest(url, { method: 'POST', headers: { expect: '100-continue' } })
    sending.flushHeaders()
    await once(sending, 'continue')
    sending.end('body')
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect(await textOf(response)).toBe('body')
  })

  it('loses the connection if the service does before it answers', async () => {
    let calls = 0
    const { url, ends } = await proxied((request, response) => {
      if (++calls === 1) response.end('{}')
      else request.socket.destroy()
    })
    await (await fetch(url)).text()
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    expect(ends()[1]).toMatchObject({
      how: 'lost',
      error: expect.stringContaining('other side closed') as string,
    })
  })

  it.each([{}, { 'content-length': '100' }])(
    'loses it half-way if the service does: %o',
    async (headers) => {
      const { url, ends, lines } = await proxied((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', ...headers })
        response.write('data: {"n":1}\n\ndata: {"n"', () => response.socket!.destroySoon())
      })
      const response = await fetch(url)
      const reader = response.body!.getReader()
      expect(new TextDecoder().decode((await reader.read()).value)).toContain('data: {"n":1}')
      await expect(reader.read()).rejects.toThrow('terminated')
      await until('the end is recorded', () => ends().length === 1)
      expect(lines.slice(2).map((line) => (line.type === 'chunk' ? line.text : line.type))).toEqual([
      'response', 'data: {"n":1}\n\n', '[redacted 10 characters]', 'end',
    ]) // oxfmt-ignore
      expect(ends()[0]).toMatchObject({ how: 'lost' })
    },
  )

  it('says that a service cannot be reached', async () => {
    const { url, ends, ended } = await proxied('http://127.0.0.1:1/v1')
    const response = await fetch(`${url}/v1/preview/models`, { method: 'POST', body: '{"a":1}' })
    expect(response.status).toBe(502)
    expect(await response.json()).toEqual({
      detail: expect.stringMatching(
        /^The recorder cannot reach http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED.* Check --training-url and the network\.$/,
      ) as string,
    })
    expect(ends()).toMatchObject([{ how: 'unreached' }])
    expect(ended).toMatchObject([{ status: undefined, how: 'unreached' }])
  })

  it('ends the call to the service if the client leaves', async () => {
    let left = false
    const { url, ends } = await proxied((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
      response.on('close', () => (left = true))
    })
    const leaving = new AbortController()
    const response = await fetch(url, { signal: leaving.signal })
    await response.body!.getReader().read()
    leaving.abort()
    await until('the service sees it', () => left)
    await until('it is recorded', () => ends().length === 1)
    expect(ends()).toMatchObject([{ how: 'client_left' }])
  })

  it('ends it too if the client leaves inside of its request', async () => {
    let received = 0
    let aborted = false
    const { url, ends, lines } = await proxied((request) => {
      request.on('error', () => (aborted = true))
      request.on('data', (chunk: Buffer) => (received += chunk.length))
    })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write('POST /v1/x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"part":')
    await until('the service has a part', () => received > 0)
    socket.destroy()
    await until('the service sees it', () => aborted)
    expect(ends()).toMatchObject([{ how: 'client_left' }])
    expect(lines[1]).toMatchObject({ body: '[not recorded: 100 bytes]' })
  })

  it('passes a refusal on that comes before the request is complete', async () => {
    const { url } = await proxied((_request, response) => {
      response
        .writeHead(413, { connection: 'close', 'content-type': 'application/json' })
        .end('{"detail":"Too large"}')
    })
    const sending = sendRequest(url, { method: 'POST', headers: { 'content-length': 1_000_000 } })
    sending.on('error', () => {})
    sending.write('{"a":')
    const [response] = (await once(sending, 'response')) as [IncomingMessage]
    expect([response.statusCode, await textOf(response)]).toEqual([413, '{"detail":"Too large"}'])
    sending.destroy()
  })

  it('keeps connections to both sides open', async () => {
    const sockets = new Set<unknown>()
    const { url } = await proxied((request, response) => {
      sockets.add(request.socket)
      response.end('{}')
    })
    for (let call = 0; call < 5; call++) await (await fetch(url)).text()
    expect(sockets.size).toBe(1)
  })

  it('refuses the control API, and web pages of other origins', async () => {
    const { url, lines } = await proxied((_request, response) => response.end())
    const response = await fetch(`${url}/_emulator/jobs`)
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('no control API') as string,
    ])
    expect((await fetch(url, { headers: { origin: 'https://other.example' } })).status).toBe(403)
    expect(lines).toHaveLength(1)
  })
})
