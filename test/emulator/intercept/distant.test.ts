import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { ProxyAgent, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { answerOf } from '../../../src/emulator/intercept/emulator-answer.js'
import { InterceptedHosts } from '../../../src/emulator/intercept/intercepted-hosts.js'
import { Interceptor } from '../../../src/emulator/intercept/interceptor.js'
import { Outside } from '../../../src/emulator/intercept/outside.js'
import { routesOf } from '../../../src/emulator/intercept/read-route.js'
import { HOSTS } from './world.js'

/** An address of this machine that is not loopback: who calls it seems to be on another machine. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const PASSWORD = 'only-for-these-tests'

/** Calls a host through a proxy that listens for other machines. */
async function callThrough(
  at: string,
  url = 'https://api.training.test/v1/health',
  addresses: readonly string[] = HOSTS,
) {
  const emulator = createEmulator({ clock: 'manual' })
  const hosts = new InterceptedHosts(routesOf(addresses))
  const interceptor = new Interceptor({
    hosts,
    answer: answerOf(emulator),
    outside: new Outside({ allowed: [], environment: {} }),
    allowWith: (host) => `--allow-host-out ${host}`,
    password: PASSWORD,
  })
  await interceptor.listen({ host: '0.0.0.0' })
  const uri = `http://${at}:${new URL(interceptor.url).port}`
  const requestTls = { ca: hosts.authority }
  // Undici takes the user and the password of an address as an option.
  const { username, password } = new URL(uri)
  const token = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const dispatcher = new ProxyAgent({
    uri: uri.replace(/\/\/.*@/, '//'),
    requestTls,
    proxyTunnel: url.startsWith('https:'),
    ...(password !== '' && { token }),
  })
  onTestFinished(async () => {
    await dispatcher.destroy()
    await interceptor.close()
    await emulator.close()
  })
  const headers = { authorization: 'Bearer any-key' }
  const { statusCode, body } = await request(url, { dispatcher, headers })
  await body.dump()
  const sent = emulator.requests.all('healthCheck')[0]?.headers ?? {}
  return { status: statusCode, sent }
}

describe.skipIf(address === undefined)('a proxy for other machines', () => {
  it('asks for its password', async () => {
    await expect(callThrough(address!)).rejects.toThrow('407')
    await expect(callThrough(`any:wrong-${PASSWORD}@${address}`)).rejects.toThrow('407')
    expect(await callThrough(`any:${PASSWORD}@${address}`)).toMatchObject({ status: 200 })
  })

  it('asks for it without TLS as well, and shows it to nobody', async () => {
    const url = 'http://api.training.test/v1/health'
    await expect(callThrough(address!, url)).rejects.toThrow('407')
    const { status, sent } = await callThrough(`any:${PASSWORD}@${address}`, url)
    expect(status).toBe(200)
    expect(Object.keys(sent)).not.toContain('proxy-authorization')
  })

  it('leads to no other port of this machine', async () => {
    const own = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1')
    await once(own, 'listening')
    onTestFinished(() => void own.close())
    const url = `http://localhost:${(own.address() as AddressInfo).port}/`
    const local = ['inference=http://localhost:1/v1']
    expect(await callThrough(`any:${PASSWORD}@${address}`, url, local)).toMatchObject({
      status: 403,
    })
    expect(await callThrough('127.0.0.1', url, local)).toMatchObject({ status: 200 })
    const intercepted = 'http://localhost:1/v1/health'
    const answered = await callThrough(`any:${PASSWORD}@${address}`, intercepted, local)
    expect(answered).toMatchObject({ status: 404 })
  })
})
