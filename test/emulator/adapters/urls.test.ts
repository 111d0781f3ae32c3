import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../../src/base/text/near-address.js'
import { urlsOf } from '../../../src/emulator/adapters/port-url.js'

describe('the URL of a port', () => {
  it.each([
    ['127.0.0.1', 'http://127.0.0.1:1'],
    ['localhost', 'http://localhost:1'],
    ['0.0.0.0', 'http://127.0.0.1:1'],
    ['::', 'http://127.0.0.1:1'],
    ['::1', 'http://[::1]:1'],
    ['192.168.1.20', 'http://192.168.1.20:1'],
  ])('bound to %s', (host, training) => {
    const listening = { host, port: 1, inferencePort: 2, close: () => Promise.resolve() }
    expect(urlsOf(listening).training).toBe(training)
  })

  it.each(['192.168.1.20', '127.0.0.1.evil.test', 'mylocalhost', '1.127.0.0.1'])(
    'the host %s is not loopback',
    (host) => {
      expect(isLoopback(host)).toBe(false)
    },
  )
})
