import { networkInterfaces } from 'node:os'
import { ProxyAgent, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { served } from '../../support/served.js'
import { HOSTS, intercept } from './world.js'

/** An address of this machine that is not loopback: who calls it seems to be on another machine. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

const PASSWORD = 'only-for-these-tests'

/** Calls a host through a proxy that listens for other machines. */
async function callThrough(
  at: string,
  url = 'https://api.training.test/v1/health',
  hosts: readonly string[] = HOSTS,
) {
  const around = { hosts, host: '0.0.0.0', password: PASSWORD }
  const { emulator, interceptor, authority: ca } = await intercept(around)
  const uri = `http://${at}:${new URL(interceptor.url).port}`
  // Undici takes the user and the password of an address as an option.
  const { username, password } = new URL(uri)
  const token = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const dispatcher = new ProxyAgent({
    uri: uri.replace(/\/\/.*@/, '//'),
    requestTls: { ca },
    proxyTunnel: url.startsWith('https:'),
    ...(password !== '' && { token }),
  })
  onTestFinished(() => dispatcher.destroy())
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
    const own = await served((_request, response) => response.end())
    const url = own.replace('127.0.0.1', 'localhost')
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
