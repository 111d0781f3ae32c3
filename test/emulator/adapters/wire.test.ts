import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { BODY_LIMIT } from '../../../src/service/contract/exchange.js'
import { until } from '../../support/until.js'
import { listening } from './listening.js'
import { openHandles, request, talk, talkRaw } from './talk.js'

/** It still serves. */
async function health(port: number): Promise<number> {
  const answers = await talk(port, request('GET /v1/health', { authorization: 'Bearer any' }))
  return answers[0]!.status
}

describe('a port', () => {
  const invalid = {
    status: 400,
    headers: { 'content-type': 'text/plain; charset=utf-8', connection: 'close' },
    body: 'Invalid HTTP request received.',
  }
  const tooLarge = {
    status: 431,
    headers: { 'content-type': 'application/json' },
    body: '{"detail":"Request headers are too large"}',
  }
  const twoLengths = 'Content-Length: 1\r\nTransfer-Encoding: chunked'

  it.each([
    { sent: 'no HTTP at all', bytes: 'what is this\r\n\r\n', ...invalid },
    { sent: 'a TLS greeting', bytes: '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', ...invalid },
    { sent: 'an unknown method', bytes: 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n', ...invalid },
    {
      sent: 'two lengths',
      bytes: `POST / HTTP/1.1\r\nHost: a\r\n${twoLengths}\r\n\r\n`,
      ...invalid,
    },
    {
      sent: 'a huge header',
      bytes: request('GET /', { 'x-huge': 'x'.repeat(100_000) }),
      ...tooLarge,
    },
    { sent: 'a huge path', bytes: request(`GET /${'x'.repeat(100_000)}`), ...tooLarge },
    { sent: 'a tunnel to elsewhere', bytes: request('CONNECT elsewhere:80'), ...invalid },
    { sent: 'a URL without a path', bytes: request('GET http://127.0.0.1'), ...invalid },
    { sent: 'a URL without a host', bytes: request('GET http:///v1/health'), ...invalid },
    { sent: 'nothing of a URL', bytes: request('GET http://'), ...invalid },
    {
      sent: 'a port that is too large',
      bytes: request('GET http://a:99999/v1/health'),
      ...invalid,
    },
    { sent: 'a port that is empty', bytes: request('GET http://a:/v1/health'), ...invalid },
    { sent: 'two logins', bytes: request('GET http://a@b@c/v1/health'), ...invalid },
    { sent: 'brackets in a host', bytes: request('GET http://a[::1]/v1/health'), ...invalid },
    { sent: 'a host that is no address', bytes: request('GET http://[zz]/v1/health'), ...invalid },
    { sent: 'a path with raw bytes', bytes: request('GET /v1/h\u00e9alth'), ...invalid },
  ])('answers $sent as the real server does, and continues to serve', async (sent) => {
    const { bytes, status, headers, body } = sent
    const { port, inferencePort } = await listening()
    const [answer] = await talk(port, bytes)
    expect(answer).toMatchObject({ status, headers, body })
    if (status === 400) expect((await talk(inferencePort, bytes))[0]).toMatchObject({ body })
    expect(await health(port)).toBe(200)
  })

  it('answers headers that are too large in the format of the API that was called', async () => {
    const { inferencePort } = await listening()
    const [answer] = await talk(inferencePort, request(`GET /${'x'.repeat(100_000)}`))
    expect(JSON.parse(answer!.body)).toMatchObject({
      error: { message: 'Request headers are too large', type: 'APIError', code: 431 },
    })
  })

  it.each(['1.0', '1.1'])('serves HTTP/%s without a Host', async (version) => {
    const { port } = await listening()
    const close = 'connection: close\r\n'
    const bytes = `GET /v1/preview/base-models HTTP/${version}\r\n${close}\r\n`
    const [answer] = await talk(port, bytes)
    expect(answer!.status).toBe(200)
  })

  it.each([
    { sent: 'no host', host: undefined },
    { sent: 'a port that cannot exist', host: '127.0.0.1:99999' },
    { sent: 'an empty port', host: '127.0.0.1:' },
  ])('redirects a request with $sent to the address that it reached', async ({ host }) => {
    const { port } = await listening()
    const [answer] = await talk(port, request('GET /v1/health//', { host }))
    expect(answer).toMatchObject({
      status: 307,
      headers: { location: `http://127.0.0.1:${port}/v1/health` },
    })
  })

  it('serves a path that ends with an escaped line feed', async () => {
    const { port } = await listening()
    const [answer] = await talk(port, request('GET /v1/preview/base-models%0a'))
    expect(answer!.status).toBe(200)
  })

  it.each(['something', ''])('ignores the expectation "%s"', async (wish) => {
    const { port } = await listening()
    const [answer] = await talk(port, request('GET /v1/preview/base-models', { expect: wish }))
    expect(answer!.status).toBe(200)
  })

  it.each(['\0', '\r\n', ' x', 'GET'])(
    'answers the last request of a connection, with %j behind it',
    async (rest) => {
      const { port } = await listening()
      const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
      const answers = await talk(port, request('POST /v1/preview/models', headers, '{}') + rest)
      expect(answers).toMatchObject([{ status: 422 }])
    },
  )

  it('invites to send a body only if the request has one', async () => {
    const { port } = await listening()
    const headers = { authorization: 'Bearer any', expect: '100-continue' }
    const line = 'GET /v1/preview/base-models'
    expect(await talkRaw(port, request(line, headers))).not.toContain('100 Continue')
    const body = request('POST /v1/preview/models', headers, '{}')
    expect(await talkRaw(port, body)).toContain('100 Continue')
  })

  it.each([
    'CONNECT elsewhere:80',
    'CONNECT /v1/health',
    'POST /v1/preview/models',
    'OPTIONS *',
    'BREW /',
  ])('continues to serve when a client resets its connection after %s', async (line) => {
    const { port } = await listening()
    // An error of a connection that nobody handles would end the process. Vitest reports it.
    for (let client = 0; client < 10; client++) {
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      socket.write(request(line))
      if (client % 2 === 0) await health(port)
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
    expect(await health(port)).toBe(200)
  })

  it('answers CONNECT like any method', async () => {
    const { port } = await listening()
    const [answer] = await talk(port, request('CONNECT /v1/preview/base-models'))
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET' } })
  })

  it('notices that a client left its CONNECT, also if it sent more', async () => {
    const { emulator, port } = await listening()
    emulator.faults.add({ fault: 'hang' })
    const before = openHandles('TCPSocketWrap')
    const socket = connect(port, '127.0.0.1').resume()
    socket.write(request('CONNECT /v1/health', { authorization: 'Bearer any' }))
    await until('the call hangs', () => emulator.journal.entries.length > 0)
    socket.end('for the tunnel')
    await until('its connection is closed', () => openHandles('TCPSocketWrap') <= before)
    expect(emulator.journal.entries.at(-1)).toMatchObject({ method: 'CONNECT' })
  })

  it('keeps the body of a request with 1,500 headers', async () => {
    const { port } = await listening()
    const many = Object.fromEntries(Array.from({ length: 1500 }, (_, index) => [`h${index}`, 'x']))
    const headers = { ...many, authorization: 'Bearer any', 'content-type': 'application/json' }
    const [answer] = await talk(port, request('POST /v1/preview/models', headers, '{"name":"a"}'))
    expect(JSON.parse(answer!.body)).toMatchObject({ detail: [{ loc: ['body', 'project'] }, {}] })
  })

  it.each(['127.0.0.1', '127.0.0.1:1', 'me:pass@[::1]:65535', '@localhost'])(
    'serves a request that names the whole URL, at %s, as proxies send it',
    async (authority) => {
      const { port } = await listening()
      const line = `GET http://${authority}/v1/preview/base-models?x=/y`
      expect(await talk(port, request(line))).toMatchObject([{ status: 200 }])
    },
  )

  it('answers pipelined requests in their order', async () => {
    const { port } = await listening()
    const key = { authorization: 'Bearer any' }
    const answers = await talk(
      port,
      request('GET /v1/health', { ...key, connection: 'keep-alive' }) +
        request('GET /nowhere', { ...key, connection: 'keep-alive' }) +
        request('GET /v1/preview/base-models', key),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 200])
  })

  it('accepts a DELETE with a JSON content type and no body', async () => {
    const { emulator, port } = await listening()
    const key = { authorization: 'Bearer any', 'content-type': 'application/json' }
    const body = '{"project":"p","name":"m","base_model":"example/base-8b-instruct"}'
    const [created] = await talk(port, request('POST /v1/preview/models', key, body))
    const { id } = JSON.parse(created!.body) as { id: string }
    const line = `DELETE /v1/preview/models/${id}`
    const [deleted] = await talk(port, request(line, { ...key, 'content-length': '0' }))
    expect(deleted!.status).toBeLessThan(300)
    const [again] = await talk(port, request(line, { ...key, 'content-length': '0' }))
    expect(again!.status).toBe(404)
    expect(emulator.journal.entries).toHaveLength(3)
  })

  it('refuses a body whose announced length is too large, without reading it', async () => {
    const { emulator, port } = await listening()
    const headers = {
      authorization: 'Bearer any',
      'content-type': 'application/json',
      'content-length': String(BODY_LIMIT + 1),
    }
    const [answer] = await talk(port, request('POST /v1/preview/models', headers))
    expect(answer!.status).toBe(413)
    expect(JSON.parse(answer!.body)).toEqual({
      detail: `Request body is larger than ${BODY_LIMIT} bytes`,
    })
    expect(emulator.journal.entries).toHaveLength(1)
  })
})
