import { describe, expect, it } from 'vitest'
import { Outside } from '../../../src/tools/intercept/outside.js'

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

  it.each([
    'localhost',
    'x.localhost',
    '127.8.9.1',
    '::1',
    '::ffff:127.0.0.1',
    '0.0.0.0',
    '::',
    '169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    'metadata.google.internal',
  ])('to %s is not open because all hosts are allowed', (host) => {
    expect(allowing('all').refusal(to(host))).toMatch(/`all` does not allow it/)
    expect(allowing('all', host).refusal(to(host))).toBeUndefined()
  })

  it('is not open for a name that leads to this machine', async () => {
    const lookup = allowing('all').lookupFor(to('innocent.test'))
    const failure = await new Promise((resolve) => {
      lookup('localhost', { all: true }, resolve)
    })
    expect(String(failure)).toMatch(
      /localhost is at (?:127\.0\.0\.1|::1)\. .*`all` does not allow it/,
    )
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
    [{ HTTPS_PROXY: '', ALL_PROXY: '' }, 'https', undefined],
  ] as const)('leads through the proxy of %j', (environment, scheme, proxy) => {
    const outside = new Outside({ allowed: ['all'], environment })
    expect(outside.proxyFor(to('x.b.test'), scheme)?.href).toBe(proxy)
  })
})
