import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { connect as connectTls, type ConnectionOptions } from 'node:tls'
import getPort from 'get-port'
import { describe, expect, it } from 'vitest'
import { routeFor } from '../../../src/emulator/adapters/routes.js'
import { openHandles } from '../adapters/talk.js'
import { served } from '../../support/served.js'
import { until } from '../../support/until.js'
import { intercept, listening, openTunnel, send, textFrom, type Intercepted } from './world.js'

const json = { authorization: 'Bearer key-key-key', 'content-type': 'application/json' }

function posted(body: object) {
  return { method: 'POST', headers: json, body: JSON.stringify(body) } as const
}

/** What the report calls the host of a URL. */
function shownHost(url: string, named: number): string {
  const { hostname } = new URL(url)
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname) ? `localhost:${named}` : hostname
}

/** What a client sends without TLS, to a proxy or in a tunnel. */
const get = (url: string, more = ''): string =>
  `GET ${url} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nauthorization: Bearer key-key-key\r\n${more}connection: close\r\n\r\n`

/** A tunnel to an API, with TLS in it. */
async function openTls(
  { interceptor, authority: ca }: Intercepted,
  options: ConnectionOptions = {},
) {
  const { socket } = await openTunnel(interceptor, 'api.training.test:443')
  return connectTls({ socket, servername: 'api.training.test', ca, ...options })
}

describe('an interceptor', () => {
  it('answers the real hosts of a service with the emulator', async () => {
    const { call, emulator } = await intercept()
    const model = { project: 'p', name: 'poet', base_model: 'example/base-8b-instruct' }
    const created = await call('https://api.training.test/v1/preview/models', posted(model))
    expect(created.status).toBe(200)
    const listed = await call('https://api.inference.test/v1/models', { headers: json })
    expect(listed.text).toContain('example/base-8b-instruct')
    const query = '{ viewer { entity } }'
    const viewer = await call('https://api.platform.test/graphql', posted({ query }))
    expect(JSON.parse(viewer.text)).toEqual({ data: { viewer: { entity: 'local-team' } } })
    const operations = emulator.journal.entries.map((entry) => {
      return entry.kind === 'request' ? entry.operation : entry.kind
    })
    expect(operations).toEqual(['createModel', 'listServedModels', 'platformGraphql'])
  })

  it.each(['', '/api'])(
    'gives out addresses of the host, with base path "%s"',
    async (basePath) => {
      const { call } = await intercept({ basePath })
      const query = `mutation {
      upsertBucket(input: { entityName: "local-team", modelName: "p", name: "run-1" }) { bucket { name } }
      createRunFiles(input: { entityName: "local-team", projectName: "p", runName: "run-1", files: ["a.txt"] }) {
        files { uploadUrl }
      }
    }`
      const answer = await call('https://api.platform.test/graphql', posted({ query }))
      const { data } = JSON.parse(answer.text) as {
        data: { createRunFiles: { files: { uploadUrl: string }[] } }
      }
      const [{ uploadUrl } = { uploadUrl: '' }] = data.createRunFiles.files
      expect(uploadUrl).toContain(`https://api.platform.test${basePath}/storage/`)
      expect(await call(uploadUrl, { method: 'PUT', body: 'hello' })).toMatchObject({ status: 200 })
    },
  )

  it('answers a host in each spelling of its name', async () => {
    const { interceptor, authority: ca } = await intercept({ allowed: ['all'] })
    const { socket } = await openTunnel(interceptor, 'API.training.test.:443')
    const secure = connectTls({ socket, servername: 'api.training.test', ca })
    secure.write('GET /v1/health HTTP/1.1\r\nhost: api.training.test.\r\n\r\n')
    expect(await textFrom(secure)).toMatch(/^HTTP\/1\.1 401 /)
    expect(interceptor.called).toMatchObject([{ host: 'api.training.test', passed: 0 }])
  })

  it.each(['https', 'http'])('answers a host at another port, with %s', async (scheme) => {
    const { call, interceptor } = await intercept({ allowed: ['all', 'api.training.test'] })
    const url = `${scheme}://api.training.test:8443/v1/preview/base-models`
    expect(await call(url, { headers: json })).toMatchObject({ status: 200 })
    expect(interceptor.called).toMatchObject([{ answered: 1, passed: 0 }])
  })

  describe('with an address of this machine', () => {
    /** Calls a URL as clients without TLS do: those of Python ask the proxy, those of Node ask for a tunnel. */
    async function callBoth(interceptor: Intercepted['interceptor'], url: string) {
      const { pathname, host } = new URL(url)
      const asked = await send(interceptor, get(url))
      const { socket, answer } = await openTunnel(interceptor, host)
      if (!answer.startsWith('HTTP/1.1 200 ')) return [asked, answer]
      socket.write(get(url).replace(url, pathname))
      return [asked, await textFrom(socket)]
    }

    it.each([
      ['localhost:{named}/v1/models', '200 OK', /"object":"list"/],
      ['localhost:{named}/other', '404 Not Found', /\/other of localhost:\d+ belongs to no API/],
      ['localhost:{other}/v1/models', '201 Created', /the other program/],
      ['app.localhost:{other}/v1/models', '201 Created', /the other program/],
      ['0.0.0.0:{other}/v1/models', '403 ', /refuses 0\.0\.0\.0/],
      ['elsewhere.test:{named}/v1/models', '403 ', /refuses elsewhere\.test/],
    ])('http://%s is answered with %s', async (template, status, text) => {
      const web = await served((_request, response) => {
        response.writeHead(201).end('the other program')
      })
      const [named, other] = [await getPort(), new URL(web).port]
      const addresses = [`inference=http://localhost:${named}/v1`]
      // Its other paths belong to no API.
      if (template.endsWith('/other')) addresses[0] = `inference=http://localhost:${named}/llm/v1`
      const { interceptor } = await intercept({
        hosts: addresses,
        environment: { HTTP_PROXY: 'http://proxy.invalid', HTTPS_PROXY: 'http://proxy.invalid' },
      })
      const url = `http://${template.replace('{named}', `${named}`).replace('{other}', other)}`
      for (const answer of await callBoth(interceptor, url)) {
        expect(answer).toContain(`HTTP/1.1 ${status}`)
        expect(answer).toMatch(text)
      }
      // Other programs of this machine are none of the hosts that are reported.
      const isOwn = status === '201 Created'
      expect(interceptor.called.map(({ host }) => host)).toEqual(
        isOwn ? [] : [shownHost(url, named)],
      )
    })

    it('ends a call to a port that nothing listens at, as without a proxy', async () => {
      const [named, free] = [await getPort(), await getPort()]
      const { interceptor } = await intercept({ hosts: [`inference=http://localhost:${named}/v1`] })
      expect(await send(interceptor, get(`http://127.0.0.1:${free}/`))).toBe('')
      expect(interceptor.called).toEqual([])
    })
  })

  it.each([
    ['', 'the client did not finish its handshake in 0.1 s'],
    ['\x16\x03\x01', 'the client did not finish its handshake in 0.1 s'],
    ['GET / HTTP/1.1\r\n', undefined, 80],
  ])('ends a tunnel whose client sends no more than %j', async (sent, why, port = 443) => {
    const { interceptor } = await intercept({ limits: { headers: 100 } })
    const { socket } = await openTunnel(interceptor, `api.training.test:${port}`)
    socket.write(sent, 'latin1')
    socket.resume()
    await once(socket, 'close')
    await expect.poll(() => interceptor.called[0]?.failures[0]).toBe(why)
  })

  it('answers no call that is meant for another host', async () => {
    const { call, interceptor } = await intercept()
    const other = await call('https://api.training.test/v1/health', {
      headers: { host: 'elsewhere.test' },
    })
    expect(other).toEqual({
      status: 421,
      text: 'This connection is to api.training.test. The request is for elsewhere.test.\n',
    })
    expect(interceptor.called).toMatchObject([{ host: 'api.training.test', passed: 0 }])
  })

  it('refuses other hosts, and names the option that allows them', async () => {
    const { call, interceptor } = await intercept()
    const refused = call('https://elsewhere.test/')
    await expect(refused).rejects.toThrow('403')
    const { answer } = await openTunnel(interceptor, 'elsewhere.test:443')
    expect(answer.split('\r\n')[0]).toBe(
      'HTTP/1.1 403 svtrain-emulator refuses elsewhere.test. It is not intercepted, and no option allows it; to allow it: --allow-host-out elsewhere.test; to answer its chats: --intercept documented --intercept inference=https://elsewhere.test/v1 (pytest: svtrain_addresses)',
    )
    const plain = await send(interceptor, get('http://elsewhere.test/'))
    expect(plain).toContain('svtrain-emulator refuses elsewhere.test.')
    const remedies = ['https', 'http'].map((scheme) => {
      return `to allow it: --allow-host-out elsewhere.test; to answer its chats: --intercept documented --intercept inference=${scheme}://elsewhere.test/v1 (pytest: svtrain_addresses)`
    })
    expect(interceptor.called).toMatchObject([
      { host: 'elsewhere.test', answered: 0, refused: 3, passed: 0, failures: remedies },
    ])
  })

  it.each([
    ['GET http://127.0.0.1:8000/v1/models', 'http'],
    ['CONNECT 127.0.0.1:8000', 'http'],
    ['GET http://elsewhere.test:8000/v1/models', 'http'],
    ['CONNECT elsewhere.test:8000', 'https'],
  ])('refuses %s with an address with %s that it can answer', async (asked, scheme) => {
    const { interceptor } = await intercept()
    const sent = `${asked} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
    const [, address = ''] = /--intercept inference=(\S+)/.exec(await send(interceptor, sent)) ?? []
    expect(routeFor('inference', address).scheme).toBe(scheme)
  })

  it('says how to answer another host of the service, and never how to allow it', async () => {
    const { interceptor } = await intercept()
    const { answer } = await openTunnel(interceptor, 'api.training.wandb.ai:443')
    const how = 'service, too: --intercept documented, or "documented" in svtrain_addresses'
    expect(answer.split('\r\n')[0]).toMatch(new RegExp(`^HTTP/1\\.1 403 .*${how}$`))
    expect(interceptor.called[0]!.failures).toEqual([expect.stringContaining(how)])
  })

  it('passes the bytes of an allowed host on', async () => {
    const port = await listening(createTcpServer((socket) => void socket.pipe(socket)))
    const { interceptor } = await intercept({ allowed: ['127.0.0.1'] })
    const { socket, answer } = await openTunnel(interceptor, `127.0.0.1:${port}`)
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    socket.write('as it is')
    expect(await textFrom(socket)).toBe('as it is')
    expect(interceptor.called).toMatchObject([{ host: '127.0.0.1', passed: 1, refused: 0 }])
  })

  it('passes a call without TLS on to an allowed host', async () => {
    const seen: Record<string, unknown>[] = []
    const web = await served((request, response) => {
      seen.push({ url: request.url, ...request.headers })
      response.writeHead(201, { 'x-from': 'outside' }).end('hello')
    })
    const { interceptor } = await intercept({ allowed: ['127.0.0.1'] })
    const secret = 'proxy-authorization: Basic c2VjcmV0\r\n'
    const answer = await send(interceptor, get(`${web}/a%20b?c`, secret))
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    expect(answer).toContain('x-from: outside')
    expect(seen).toMatchObject([{ url: '/a%20b?c', host: new URL(web).host }])
    expect(seen[0]).not.toHaveProperty('proxy-authorization')
  })

  it.each(['GET', 'DELETE', 'OPTIONS', 'POST'])(
    'keeps the framing of the body of %s, and drops what is of one connection',
    async (method) => {
      const seen: unknown[] = []
      const web = await served((request, response) => {
        request.setEncoding('utf8').on('data', (body: string) => {
          const { host, 'x-hop': hop } = request.headers
          seen.push({ method: request.method, body, host, hop })
          response.setHeader('connection', 'close, x-hop').setHeader('x-hop', '1').end('hello')
        })
      })
      const { interceptor } = await intercept({ allowed: ['127.0.0.1'] })
      const inside = 'GET /inside HTTP/1.1\r\nhost: x\r\n\r\n'
      const answer = await send(
        interceptor,
        `${method} ${web}/ HTTP/1.1\r\nhost: other.test\r\nconnection: close, X-Hop\r\nx-hop: 1\r\ntransfer-encoding: chunked\r\n\r\n${inside.length.toString(16)}\r\n${inside}\r\n0\r\n\r\n`,
      )
      expect(seen).toEqual([{ method, body: inside, host: new URL(web).host, hop: undefined }])
      expect(answer).toMatch(/^HTTP\/1\.1 200 /)
      expect(answer).not.toContain('x-hop: 1')
    },
  )

  it('reaches allowed hosts through the proxy that was set before', async () => {
    const asked: string[] = []
    const upstream = createServer()
    upstream.on('connect', ({ url, headers }, socket) => {
      asked.push(`${url} ${headers['proxy-authorization']}`)
      socket.write('HTTP/1.1 200 OK\r\n\r\nthe host speaks first')
    })
    const port = await listening(upstream)
    const { interceptor } = await intercept({
      allowed: ['all'],
      environment: { HTTPS_PROXY: `http://me:pass%20word@127.0.0.1:${port}` },
    })
    const { socket } = await openTunnel(interceptor, 'elsewhere.test:443')
    expect(await textFrom(socket)).toBe('the host speaks first')
    const credentials = Buffer.from('me:pass word').toString('base64')
    expect(asked).toEqual([`elsewhere.test:443 Basic ${credentials}`])
  })

  it('says why an allowed host cannot be reached', async () => {
    const server = createTcpServer()
    const port = await listening(server)
    server.close()
    const { interceptor } = await intercept({ allowed: ['127.0.0.1'] })
    const { answer } = await openTunnel(interceptor, `127.0.0.1:${port}`)
    expect(answer).toMatch(
      /^HTTP\/1\.1 502 svtrain-emulator cannot reach 127\.0\.0\.1: .*ECONNREFUSED/,
    )
    expect(interceptor.called[0]!.failures).toEqual([
      expect.stringContaining('ECONNREFUSED') as string,
    ])
  })

  it('has a certificate that nothing answers with once its command has ended', async () => {
    const { interceptor: ended, authority: ca } = await intercept()
    const { url } = ended
    const other = await intercept()
    const { interceptor } = other
    await ended.close()
    await expect(openTunnel({ url }, 'api.training.test:443')).rejects.toThrow('ECONNREFUSED')
    const client = await openTls(other, { ca })
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toMatch(/SIGNATURE_FAILURE|SELF_SIGNED|UNABLE_TO_/)
    await expect
      .poll(() => interceptor.called[0]?.failures)
      .toEqual([expect.stringContaining('trust the certificate')])
  })

  it('notices a client that speaks HTTP/2 only', async () => {
    const intercepted = await intercept()
    await once(await openTls(intercepted, { ALPNProtocols: ['h2'] }), 'error')
    await expect
      .poll(() => intercepted.interceptor.called[0]?.failures)
      .toEqual(['the client speaks HTTP/2 only'])
  })

  it('answers a client that wants a websocket as a server without them does', async () => {
    const secure = await openTls(await intercept())
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13'
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    secure.write(`GET /v1/ws HTTP/1.1\r\nhost: api.training.test\r\n${upgrade}\r\n${key}\r\n\r\n`)
    expect(await textFrom(secure)).toMatch(/^HTTP\/1\.1 404 [^]*\{"detail":"Not Found"\}/)
  })

  it.each(['', 'elsewhere', 'elsewhere.test:99999', 'http://elsewhere.test/', '[::1'])(
    'refuses a tunnel to "%s"',
    async (authority) => {
      const { interceptor } = await intercept({ allowed: ['all'] })
      const { answer } = await openTunnel(interceptor, authority)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    },
  )

  it('closes a connection that it refuses, also if the client sent more', async () => {
    const { interceptor } = await intercept()
    const before = openHandles('TCPSocketWrap')
    const asked = 'CONNECT elsewhere.test:443 HTTP/1.1\r\n\r\nsent ahead'
    expect(await send(interceptor, asked)).toMatch(/^HTTP\/1\.1 403 /)
    await until('the proxy has closed its side', () => openHandles('TCPSocketWrap') <= before)
  })

  it('says in the body all of why it refuses a tunnel', async () => {
    const { interceptor } = await intercept()
    const name = `${'long.'.repeat(90)}test`
    const answer = await send(interceptor, `CONNECT ${name}:443 HTTP/1.1\r\n\r\n`)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    expect(head.split('\r\n')[0]!.length).toBeLessThan(420)
    expect(body).toMatch(new RegExp(`refuses ${name}\\. .*to answer its chats: .*\\)\n$`))
  })

  it('says what it is to who calls it like a server', async () => {
    const { interceptor } = await intercept()
    const answer = await send(interceptor, 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    expect(answer).toContain('This is a proxy.')
  })

  it('serves 200 tunnels at once, and closes them with itself', async () => {
    const { interceptor } = await intercept()
    const opened = await Promise.all(
      Array.from({ length: 200 }, () => openTunnel(interceptor, 'api.training.test:443')),
    )
    expect(opened.every(({ answer }) => answer.startsWith('HTTP/1.1 200 '))).toBe(true)
    const ended = Promise.all(opened.map(({ socket }) => once(socket, 'close')))
    for (const { socket } of opened) socket.on('error', () => {})
    await interceptor.close()
    await ended
  })
})
