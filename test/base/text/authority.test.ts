import { describe, expect, it } from 'vitest'
import { hostName } from '../../../src/base/text/authority.js'
import { isLoopback, isLoopbackName, isNear } from '../../../src/base/text/near-address.js'

describe('the normal form of a host', () => {
  it.each([
    ['Api.Example.TEST', 'api.example.test'],
    ['api.example.test.', 'api.example.test'],
    ['api\u3002example\u3002test', 'api.example.test'],
    ['B\u00fccher.test', 'xn--bcher-kva.test'],
    ['0177.0.0.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['127.0.0.1.', '127.0.0.1'],
    ['[0:0:0:0:0:0:0:1]', '::1'],
    ['::ffff:127.0.0.1', '::ffff:7f00:1'],
    ['FE80::1%eth0', 'fe80::1'],
    ['a b', 'a b'],
    ['a.test/@b.test', 'a.test/@b.test'],
    ['', ''],
  ])('of %j is %j', (host, normal) => {
    expect(hostName(host)).toBe(normal)
    expect(hostName(normal)).toBe(normal)
  })
})

describe('an address', () => {
  const own = ['192.168.7.8', 'fd00::8']

  it.each(['127.8.9.1', '127.1', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', 'LocalHost'])(
    '%s is certainly of this machine',
    (host) => {
      expect(isLoopback(host)).toBe(true)
      expect(isLoopbackName(host)).toBe(true)
      expect(isNear(host, [])).toBe(true)
    },
  )

  it.each([
    ['this host', ['localhost.', '127.0.0.1.', 'x.localhost.', '0.0.0.0', '0', '::', '[::]']],
    ['IPv4 in IPv6', ['::127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::']],
    [
      'IPv4 below a prefix of the network',
      ['64:ff9b:1:7f00:0:100::', '64:ff9b:1:0:7f:0:100:0', '64:ff9b:1::7f00:1'],
    ],
    ['link-local', ['169.254.1.2', 'fe80::1', 'febf::1', '255.255.255.255', '::ffff:a9fe:1']],
    [
      'metadata',
      ['169.254.169.254', '0xa9fea9fe', '2852039166', 'fd00:ec2:0::254', '100.100.100.200'],
    ],
    ['names of metadata', ['metadata.google.internal.', 'METADATA']],
    ['an interface', ['192.168.7.8', '0300.0250.7.8', '::ffff:192.168.7.8', 'FD00:0::8']],
  ])('of %s may be near, and is not trusted as this machine', (_kind, hosts) => {
    for (const host of hosts) {
      expect([host, isNear(host, own)]).toEqual([host, true])
      expect([host, isLoopback(host)]).toEqual([host, false])
    }
  })

  it.each([
    '192.168.7.9',
    '8.8.8.8',
    '128.0.0.1',
    '126.255.255.255',
    'fd00::9',
    'fec0::1',
    '2001:db8::1',
    '::ffff:8.8.8.8',
    '1.2.3.4.5',
    'localhost.test',
    'metadata.test',
    '',
  ])('"%s" is elsewhere', (host) => expect(isNear(host, own)).toBe(false))
})
