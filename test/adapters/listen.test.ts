import type { Application } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { closePort, openPort, portOf, type PortOptions } from '../../src/adapters/listen.js'
import { createEmulator } from '../../src/index.js'
import { bearer } from '../support/api-client.js'

const port = { host: '127.0.0.1', port: 0 }

it.each<[string, PortOptions]>([
  ['with the control API and the dashboard', { ...port, isControlled: true }],
  ['without them', port],
])(
  'a port is an Express application (%s), and an API call passes at most three layers',
  async (_name, options) => {
    const emulator = createEmulator()
    const server = await openPort(emulator.handle, 'training', options)
    onTestFinished(() => closePort(server))
    const app = server.listeners('request')[0] as Application
    expect(app.router.stack.length).toBeGreaterThan(1)
    expect(app.router.stack.length).toBeLessThanOrEqual(3)
    const response = await fetch(`http://127.0.0.1:${portOf(server)}/v1/preview/base-models`, {
      headers: bearer(),
    })
    expect(response.status).toBe(200)
    expect(response.headers.get('x-powered-by')).toBeNull()
  },
)
