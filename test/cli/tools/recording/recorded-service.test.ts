import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fetch, ProxyAgent } from 'undici'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { issueCertificate } from '../../../../src/emulator/intercept/authority.js'
import { InterceptedHosts } from '../../../../src/emulator/intercept/intercepted-hosts.js'
import { Interceptor } from '../../../../src/emulator/intercept/interceptor.js'
import { Outside } from '../../../../src/emulator/intercept/outside.js'
import { RecordedService } from '../../../../src/cli/tools/recording/recorded-service.js'
import { readRoute } from '../../../../src/emulator/intercept/read-route.js'
import { Recorder } from '../../../../src/tools/recording/recorder.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { until } from '../../../support/until.js'
import { send } from '../../../emulator/intercept/world.js'

const KEY = 'key+of/the user:that must+not be recorded'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A deployment of the service with a certificate authority of its own. */
async function deployment(answer: Answer, names = ['localhost']) {
  const { authority, server: credentials } = issueCertificate({
    hosts: names,
    name: 'a company',
    now: Date.now(),
  })
  const server = createServer(credentials, answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const file = join(temporaryFolder(), 'company.pem')
  writeFileSync(file, authority)
  return { file, url: `https://localhost:${(server.address() as AddressInfo).port}` }
}

/** Records what a client and a deployment exchange. */
async function recorded(url: string, environment: Record<string, string>) {
  const lines: string[] = []
  const routes = [readRoute(`training=${url}/llm/v1`)]
  const recorder = new Recorder({
    trainingUrl: `${url}/llm/v1`,
    contents: true,
    write: (line) => lines.push(line),
  })
  const service = await RecordedService.prepare({ routes, recorder, environment, ended() {} })
  const hosts = new InterceptedHosts(routes)
  const interceptor = new Interceptor({
    hosts,
    answer: service.answer,
    outside: new Outside({ allowed: [], environment }),
    allowWith: (host) => `--allow-host-out ${host}`,
  })
  await interceptor.listen()
  const dispatcher = new ProxyAgent({
    uri: interceptor.url,
    requestTls: { ca: hosts.authority },
  })
  onTestFinished(async () => {
    await dispatcher.destroy()
    await service.close()
    await interceptor.close()
  })
  const call = (path: string, headers: Record<string, string>, body?: string) =>
    fetch(url + path, { dispatcher, headers, ...(body !== undefined && { method: 'POST', body }) })
  const ended = () =>
    until('the call is recorded', () => lines.some((line) => line.includes('"type":"end"')))
  return { call, lines, interceptor, ended }
}

describe('the recorder of a service that is intercepted', () => {
  it.each([
    ['nobody knows who issued it', {}, ['localhost']],
    ['it is for another host', { trusted: true }, ['elsewhere.test']],
  ])(
    'sends nothing to a host with a certificate that is not valid: %s',
    async (_why, { trusted = false }: { trusted?: boolean }, names) => {
      let calls = 0
      const { url, file } = await deployment((_request, response) => {
        calls++
        response.end()
      }, names)
      // Node would accept any certificate.
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
      onTestFinished(() => void vi.unstubAllEnvs())
      const environment = trusted ? { SSL_CERT_FILE: file } : {}
      const { call, lines, interceptor, ended } = await recorded(url, environment)
      const answer = await call('/llm/v1/preview/models', { authorization: `Bearer ${KEY}` })
      expect(answer.status).toBe(502)
      expect(await answer.text()).toMatch(
        /The recorder cannot reach https:\/\/localhost:\d+: .*Its certificate is not trusted, so nothing was sent\. .* in SSL_CERT_FILE\./,
      )
      expect(calls).toBe(0)
      expect(interceptor.called[0]!.failures).toHaveLength(1)
      await ended()
      expect(lines.at(-1)).toContain('"how":"unreached"')
    },
  )

  it('leads a client to no other host by a redirect', async () => {
    const { url, file } = await deployment((_request, response) => {
      response.writeHead(307, { location: 'https://elsewhere.test/v1/preview/models' }).end()
    })
    const { call, interceptor } = await recorded(url, { SSL_CERT_FILE: file })
    const sent = call('/llm/v1/preview/models', { authorization: `Bearer ${KEY}` })
    await expect(sent).rejects.toThrow('fetch failed')
    expect(interceptor.called).toMatchObject([
      { host: new URL(url).host, answered: 1, refused: 0, passed: 0 },
      { host: 'elsewhere.test', answered: 0, refused: 1, passed: 0 },
    ])
  })

  it('leaves a redirect to the same host as it is', async () => {
    const { url, file } = await deployment(({ url: path }, response) => {
      if (path === '/llm/v1/new') return void response.end('there')
      response.writeHead(307, { location: `${url}/llm/v1/new` }).end()
    })
    const { call, lines } = await recorded(url, { SSL_CERT_FILE: file })
    const answer = await call('/llm/v1/old', {})
    expect([answer.url, await answer.text()]).toEqual([`${url}/llm/v1/new`, 'there'])
    expect(lines.filter((line) => line.includes('"type":"request"'))).toHaveLength(2)
  })

  it.each([
    ['localhost', '127.0.0.1'],
    ['127.0.0.1', 'localhost'],
  ])('records calls without TLS to http://%s that are made to http://%s', async (named, called) => {
    const seen: IncomingMessage[] = []
    const web = createPlainServer((request, response) => {
      seen.push(request)
      response.end('there')
    }).listen(0, '127.0.0.1')
    await once(web, 'listening')
    onTestFinished(() => void web.close())
    const { port } = web.address() as AddressInfo
    const proxy = 'http://proxy.invalid'
    const environment = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }
    const { interceptor, lines, ended } = await recorded(`http://${named}:${port}`, environment)
    const host = `${called}:${port}`
    const answer = await send(
      interceptor,
      `GET http://${host}/llm/v1/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toContain('there')
    expect(seen).toMatchObject([
      { url: '/llm/v1/models', headers: { authorization: `Bearer ${KEY}` } },
    ])
    await ended()
    expect(lines.join('')).not.toContain(KEY)
    expect(interceptor.called).toMatchObject([{ host: `localhost:${port}`, answered: 1 }])
  })

  it('refuses a call without TLS', async () => {
    const { interceptor, lines } = await recorded('https://api.training.test', {})
    const answer = await send(
      interceptor,
      `GET http://api.training.test/llm/v1/x HTTP/1.1\r\nhost: api.training.test\r\nauthorization: Bearer ${KEY}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toContain('records api.training.test over TLS only.')
    expect(lines).toHaveLength(1)
    expect(interceptor.called).toMatchObject([
      { answered: 0, failures: [expect.stringContaining('without TLS') as string] },
    ])
  })
})
