import { expect, it } from 'vitest'
import { urlsOf } from '../../../src/emulator/adapters/port-url.js'

it.each([
  ['127.0.0.1', 'http://127.0.0.1:1'],
  ['localhost', 'http://localhost:1'],
  ['0.0.0.0', 'http://127.0.0.1:1'],
  ['::', 'http://127.0.0.1:1'],
  ['::1', 'http://[::1]:1'],
  ['192.168.1.20', 'http://192.168.1.20:1'],
])('the URL of a port bound to %s is %s', (host, training) => {
  const listening = { host, port: 1, inferencePort: 2, close: () => Promise.resolve() }
  expect(urlsOf(listening).training).toBe(training)
})
