import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createWebhookSink } from '../../../src/index.js'
import { listening } from './listening.js'
import { request, talk } from './talk.js'

const model = JSON.stringify({
  project: 'my-project',
  name: 'my-model',
  base_model: 'example/base-8b-instruct',
})

function createModel(headers: Record<string, string | undefined>): string {
  const all = { authorization: 'Bearer any', 'content-type': 'application/json', ...headers }
  return request('POST /v1/preview/models', all, model)
}

function preflight(origin: string): string {
  return request('OPTIONS /v1/preview/models', {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  })
}

describe('a port', () => {
  it('is bound to loopback by default', async () => {
    expect((await listening()).host).toBe('127.0.0.1')
  })

  it.each([
    '127.0.0.1',
    '127.0.0.1:4600',
    'localhost',
    'LocalHost:4600',
    'a.localhost:1',
    '[::1]',
    '[::1]:4600',
    '192.168.1.20:4600',
    undefined,
  ])('accepts calls to the host %s', async (host) => {
    const { port } = await listening()
    const version = host === undefined ? '1.0' : '1.1'
    const call = createModel({ host }).replace('HTTP/1.1', `HTTP/${version}`)
    expect((await talk(port, call))[0]!.status).toBe(200)
  })

  it.each([
    'evil.test',
    'evil.test:80',
    'localhost.evil.test',
    'notlocalhost',
    '127.0.0.1.evil.test',
    '127.0.0.1@evil.test',
    '[::1].evil.test',
  ])('refuses calls to the host %s', async (host) => {
    const told: string[] = []
    const { emulator, port } = await listening({ refused: ({ message }) => told.push(message) })
    const [refused] = await talk(port, createModel({ host }))
    expect(refused).toMatchObject({ status: 403, headers: { 'content-type': 'application/json' } })
    const { detail } = JSON.parse(refused!.body) as { detail: string }
    expect(detail).toMatch(/^Host ".*" is not allowed\. Start the emulator with --allow-host /)
    expect(told).toEqual([detail])
    // Nothing came of it: the name is still free.
    expect(emulator.journal.entries).toEqual([])
    expect((await talk(port, createModel({})))[0]!.status).toBe(200)
  })

  it('refuses in the format of the API that was called', async () => {
    const { inferencePort } = await listening()
    const [refused] = await talk(inferencePort, request('GET /v1/models', { host: 'evil.test' }))
    expect(JSON.parse(refused!.body)).toMatchObject({
      error: { type: 'PermissionDeniedError', code: 403 },
    })
  })

  it('accepts calls to a host name and below a suffix that you allow, also to the control API', async () => {
    const { port } = await listening({ allowedHosts: ['Emulator.test', '.Apps.test'] })
    const status = async (path: string, host: string): Promise<number> => {
      return (await talk(port, request(`GET ${path}`, { host })))[0]!.status
    }
    for (const path of ['/v1/preview/base-models', '/_emulator/info']) {
      expect(await status(path, 'EMULATOR.test:4600')).toBe(200)
      expect(await status(path, 'a.emulator.test')).toBe(403)
      expect(await status(path, 'x-4600.apps.test:4600')).toBe(200)
      expect(await status(path, 'a.b.APPS.test')).toBe(200)
      expect(await status(path, 'apps.test')).toBe(403)
      expect(await status(path, 'evil-apps.test')).toBe(403)
      expect(await status(path, 'x.apps.test.evil.test')).toBe(403)
    }
  })

  it.each(['*.apps.test', 'http://apps.test', 'apps.test:80'])(
    'refuses %s as a host name to allow, because it would never match',
    async (host) => {
      await expect(listening({ allowedHosts: [host] })).rejects.toThrow(
        `option "allowedHosts[0]" is ${JSON.stringify(host)}; expected a host name without scheme or port, such as emulator.test, or .example.com for all below it.`,
      )
    },
  )

  it.each([
    ['another site', { origin: 'https://evil.test' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a form', { origin: 'https://evil.test', 'content-type': 'text/plain' }],
  ])('refuses calls from %s', async (_name, headers) => {
    const { emulator, port } = await listening()
    const [refused] = await talk(port, createModel(headers))
    expect(refused!.status).toBe(403)
    expect(refused!.headers).not.toHaveProperty('access-control-allow-origin')
    expect(refused!.body).toContain(`Start the emulator with --cors ${headers.origin}`)
    expect(emulator.journal.entries).toEqual([])
    expect((await talk(port, createModel({})))[0]!.status).toBe(200)
  })

  it('accepts calls from its own pages', async () => {
    const { port } = await listening()
    const own = { host: `localhost:${port}`, origin: `http://localhost:${port}` }
    expect((await talk(port, createModel(own)))[0]!.status).toBe(200)
  })

  it('answers a preflight only for an allowed origin', async () => {
    const origin = 'http://localhost:5173'
    const { port } = await listening({ corsOrigins: [origin] })
    const headers = { 'access-control-allow-origin': origin }
    const [allowed] = await talk(port, preflight(origin))
    expect(allowed).toMatchObject({
      status: 204,
      headers: { ...headers, 'access-control-allow-headers': 'authorization,content-type' },
    })
    const [answered] = await talk(port, createModel({ origin }))
    expect(answered).toMatchObject({ status: 200, headers })
    const [refused] = await talk(port, preflight('http://evil.test'))
    expect(refused!.status).toBe(403)
    expect(refused!.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each(['http://anything.test', 'null'])(
    'accepts calls from %s if all origins are allowed',
    async (origin) => {
      const { port } = await listening({ corsOrigins: ['*'] })
      const [answered] = await talk(port, createModel({ origin }))
      expect(answered).toMatchObject({
        status: 200,
        headers: { 'access-control-allow-origin': '*' },
      })
    },
  )

  it('refuses a request before its body ends, and still reads the body', async () => {
    const { port } = await listening()
    const call = httpRequest({ port, method: 'POST', headers: { host: 'evil.test' } })
    for (let piece = 0; piece < 64; piece++) call.write('x'.repeat(65_536))
    call.end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(403)
    if (!call.writableFinished) await once(call, 'finish')
  })
})

it.each(['/_emulator', '/_emulator/', '/_emulator/jobs', '/hook'])(
  'the gate of a sink accepts deliveries to %s, and no calls from other pages',
  async (path) => {
    await using sink = createWebhookSink()
    const { port } = await sink.listen()
    const [stranger] = await talk(port, request(`POST ${path}`, { host: 'evil.test' }, '{}'))
    expect([stranger!.status, sink.deliveries]).toEqual([403, []])
    const [sent] = await talk(port, request(`POST ${path}`, {}, '{}'))
    expect([sent!.status, sink.deliveries.map((each) => each.path)]).toEqual([200, [path]])
  },
)
