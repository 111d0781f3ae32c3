import { describe, expect, it, onTestFinished } from 'vitest'
import { BODY_LIMIT } from '../../src/contract/exchange.js'
import { createEmulator, type Emulator } from '../../src/index.js'
import { request, talk } from './talk.js'

interface Ports {
  emulator: Emulator
  port: number
  inferencePort: number
}

async function listening(): Promise<Ports> {
  const emulator = createEmulator({ clock: 'manual' })
  onTestFinished(() => emulator.close())
  return { emulator, ...(await emulator.listen()) }
}

/** It still serves. */
async function health(port: number): Promise<number> {
  const answers = await talk(port, request('GET /v1/health', { authorization: 'Bearer any' }))
  return answers[0]!.status
}

describe('a port', () => {
  const invalid = { status: 400, detail: 'Invalid HTTP request' }
  const tooLarge = { status: 431, detail: 'Request headers are too large' }
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
  ])('answers $sent in JSON, and continues to serve', async ({ bytes, status, detail }) => {
    const { port } = await listening()
    const [answer] = await talk(port, bytes)
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } })
    expect(JSON.parse(answer!.body)).toEqual({ detail })
    expect(await health(port)).toBe(200)
  })

  it('answers malformed HTTP in the format of the API that was called', async () => {
    const { inferencePort } = await listening()
    const [answer] = await talk(inferencePort, 'what is this\r\n\r\n')
    expect(JSON.parse(answer!.body)).toEqual({
      error: { message: 'Invalid HTTP request', type: 'BadRequestError', param: null, code: 400 },
    })
  })

  it('serves HTTP/1.0 without a Host', async () => {
    const { port } = await listening()
    const [answer] = await talk(port, 'GET /v1/preview/base-models HTTP/1.0\r\n\r\n')
    expect(answer!.status).toBe(200)
  })

  it('serves a request that names the whole URL, as proxies send it', async () => {
    const { port } = await listening()
    const [whole] = await talk(port, request('GET http://127.0.0.1/v1/preview/base-models?x=/y'))
    expect(whole!.status).toBe(200)
    const [bare] = await talk(port, request('GET http://127.0.0.1'))
    expect(bare!.status).toBe(404)
  })

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

  it('answers 100 to a client that expects it', async () => {
    const { port } = await listening()
    const body = '{"project":"p","name":"m","base_model":"example/base-8b-instruct"}'
    const headers = {
      authorization: 'Bearer any',
      'content-type': 'application/json',
      expect: '100-continue',
    }
    const [answer] = await talk(port, request('POST /v1/preview/models', headers, body))
    expect(answer!.status).toBe(200)
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
