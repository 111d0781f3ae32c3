import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, it } from 'vitest'
import { until } from '../../support/until.js'
import { listening } from './world.js'
import { authorizationFor, Outside } from '../../../src/emulator/intercept/outside.js'

const allowing = (...allowed: string[]) => new Outside({ allowed, environment: {} })
const to = (hostname: string) => ({ hostname, port: 443 })

describe('the way outside', () => {
  it('is open for hosts that are named, and for what is below a name with a dot', () => {
    const outside = allowing('Pypi.org', '.example.test')
    expect(outside.refusal(to('pypi.org'))).toBeUndefined()
    expect(outside.refusal(to('a.b.example.test'))).toBeUndefined()
    for (const other of ['example.test', 'evilexample.test', 'pypi.org.evil.test']) {
      expect(outside.refusal(to(other))).toMatch(/no option allows it/)
    }
  })

  it.each(['localhost', '127.8.9.1', '169.254.169.254', 'metadata.google.internal.'])(
    'to %s is not open because all hosts are allowed',
    (host) => {
      expect(allowing('all').refusal(to(host))).toMatch(/`all` does not allow it/)
      expect(allowing('all', host).refusal(to(host))).toBeUndefined()
    },
  )

  it('to a host that is named all is as to any other', () => {
    const outside = allowing('all')
    expect(outside.names('all')).toBe(false)
    expect(outside.lookupFor(to('all'))).not.toBe(
      allowing('all', 'host.test').lookupFor(to('host.test')),
    )
  })

  it('to an interface of this machine is not open because all hosts are allowed', () => {
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all)
    expect(own).not.toEqual([])
    for (const { address } of own) {
      expect(allowing('all').refusal(to(address))).toMatch(/`all` does not allow it/)
    }
  })

  it('is not open for a name that leads to this machine', async () => {
    const lookup = allowing('all').lookupFor(to('innocent.test'))
    const failure = await new Promise((resolve) => {
      lookup('localhost', { all: true }, resolve)
    })
    expect(String(failure)).toMatch(
      /localhost is at (?:127\.0\.0\.1|::1)\. .*`all` does not allow it/,
    )
    const unknown = allowing('all').lookupFor(to('no-such-host.invalid'))
    const unresolved = await new Promise((resolve) => {
      unknown('no-such-host.invalid', { all: true }, resolve)
    })
    expect(String(unresolved)).toMatch(/no-such-host\.invalid/)
    const named = allowing('localhost').lookupFor(to('localhost'))
    expect(await new Promise((resolve) => named('localhost', {}, resolve))).toBeNull()
  })

  it.each([
    [{ HTTPS_PROXY: 'http://proxy.test:3128' }, 'https', 'http://proxy.test:3128/'],
    [{ https_proxy: 'proxy.test:3128', HTTPS_PROXY: 'x' }, 'https', 'http://proxy.test:3128/'],
    [{ HTTP_PROXY: 'http://proxy.test' }, 'https', undefined],
    [{ ALL_PROXY: 'http://proxy.test' }, 'http', 'http://proxy.test/'],
    [{ ALL_PROXY: 'socks5://proxy.test' }, 'http', undefined],
    [{ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: '*' }, 'https', undefined],
    [{ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'a.test, .b.test' }, 'https', undefined],
    [{ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'b.test:444' }, 'https', 'http://proxy.test/'],
    [{ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'B.TEST.' }, 'https', undefined],
    [{ HTTPS_PROXY: '', ALL_PROXY: '' }, 'https', undefined],
  ] as const)('leads through the proxy of %j', (environment, scheme, proxy) => {
    const outside = new Outside({ allowed: ['all'], environment })
    expect(outside.proxyFor(to('x.b.test'), scheme)?.href).toBe(proxy)
    expect(outside.proxyFor(to('127.0.0.1'), scheme)).toBeUndefined()
  })

  it.each([
    ['me:pass%20word', 'me:pass word'],
    ['me:50%', 'me:50%'],
    ['%zz:%ff', '%zz:%ff'],
    ['me', 'me:'],
    [':only', ':only'],
  ])('sends the user and the password %s as they are meant', (written, meant) => {
    const { 'proxy-authorization': sent = '' } = authorizationFor(
      new URL(`http://${written}@p.test`),
    )
    expect(Buffer.from(sent.replace('Basic ', ''), 'base64').toString()).toBe(meant)
  })

  it.each(['connect', 'connectPlain'] as const)(
    '%s gives a proxy with https: nothing without TLS, and does not wait for it forever',
    async (way) => {
      const seen: Buffer[] = []
      const silent = createServer((socket) => socket.on('data', (bytes) => seen.push(bytes)))
      const proxy = `https://me:secret@127.0.0.1:${await listening(silent)}`
      const environment = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }
      const outside = new Outside({ allowed: ['all'], environment, patience: 100 })
      await expect(outside[way](to('elsewhere.test'))).rejects.toThrow('no answer in 0.1 s')
      await until('the proxy has read something', () => seen.length > 0)
      expect(Buffer.concat(seen)[0]).toBe(0x16)
      expect(String(Buffer.concat(seen))).not.toMatch(/CONNECT|GET|Basic/)
    },
  )

  it('to an address speaks TLS without a name, and does not wait for it forever', async () => {
    const seen: Buffer[] = []
    const port = await listening(
      createServer((socket) => socket.on('data', (bytes) => seen.push(bytes))),
    )
    const outside = new Outside({ allowed: ['all'], environment: {}, patience: 100 })
    const opening = outside.connectSecurely({ hostname: '127.0.0.1', port }, {})
    await expect(opening).rejects.toThrow('no answer in 0.1 s')
    await until('the host has read something', () => seen.length > 0)
    expect(Buffer.concat(seen)[0]).toBe(0x16)
    expect(String(Buffer.concat(seen))).not.toContain('127.0.0.1')
  })
})
